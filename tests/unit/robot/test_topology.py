"""Topology of a chain, a tree and a robot with loops."""

from pathlib import Path

from support.raised import raised
from symoro.errors import RobotError
from symoro.formats import load
from symoro.robot import topology
from symoro.robot.joint import Joint, JointKind
from symoro.robot.robot import Cut, Robot

DATA = Path(__file__).parents[2] / "data" / "opensymoro"


def tree(*parents: int) -> Robot:
    return Robot("tree", tuple(Joint(j, f"joint{j}", parent) for j, parent in enumerate(parents, 1)))


def indices(joints):
    return [joint.index for joint in joints]


def test_chain():
    robot = tree(0, 1, 2)
    assert topology.is_serial(robot)
    assert indices(topology.outward(robot)) == [1, 2, 3]
    assert indices(topology.inward(robot)) == [3, 2, 1]
    assert indices(topology.path(robot, 3)) == [1, 2, 3]
    assert topology.path(robot, 0) == ()
    assert [indices(way) for way in topology.chain(robot, 3, 1)] == [[3, 2], []]
    assert [indices(way) for way in topology.chain(robot, 0, 2)] == [[], [1, 2]]


def test_tree_with_two_roots_and_parents_behind_their_children():
    robot = tree(2, 0, 1, 1, 0)
    assert not topology.is_serial(robot)
    assert indices(topology.outward(robot)) == [2, 1, 3, 4, 5]
    assert indices(topology.roots(robot)) == [2, 5]
    assert indices(topology.tips(robot)) == [3, 4, 5]
    assert indices(topology.children(robot, 1)) == [3, 4]
    assert [indices(topology.path(robot, tip.index)) for tip in topology.tips(robot)] == [[2, 1, 3], [2, 1, 4], [5]]
    assert topology.common_ancestor(robot, 3, 4) == 1
    assert topology.common_ancestor(robot, 3, 5) == 0
    assert [indices(way) for way in topology.chain(robot, 3, 4)] == [[3], [4]]


def test_movable_active_passive():
    joints = (Joint(1, "a", 0), Joint(2, "b", 1, JointKind.FIXED), Joint(3, "c", 2, actuated=False))
    robot = Robot("r", joints)
    assert indices(topology.movable(robot)) == [1, 3]
    assert indices(topology.active(robot)) == [1]
    assert indices(topology.passive(robot)) == [3]


def test_loops():
    robot = load(DATA / "SR400.par")
    (loop,) = topology.loops(robot)
    assert loop.cut == Cut(9, 10)
    assert (loop.root, indices(loop.to_joint), indices(loop.to_mate)) == (1, [7, 8, 9], [2, 3, 10])
    assert indices(topology.tree_joints(robot)) == list(range(1, 9))


def test_a_loop_over_a_cut_frame():
    first, second = topology.loops(load(DATA / "TwoLoops.par"))
    assert indices(second.to_mate)[-2:] == [11, 12]
    assert first.cut == Cut(9, 11)


def test_what_hangs_on_itself_is_refused():
    with raised("descriptions.cycle", RobotError):
        topology.path(tree(2, 1), 1)
