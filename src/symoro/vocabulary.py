"""The meaning of the letters of the papers: parameters, and the intermediate variables of the models."""

from __future__ import annotations

#: letters: (meaning, unit) of a parameter of joint or link {j}
PARAMETERS = {
    "gamma": ("angle γ of frame {j}, about z of its antecedent", "rad"),
    "b": ("distance b of frame {j}, along z of its antecedent", "m"),
    "alpha": ("angle α of frame {j}, about x", "rad"),
    "d": ("distance d of frame {j}, along x", "m"),
    "theta": ("angle θ of frame {j}, about its own z", "rad"),
    "r": ("distance r of frame {j}, along its own z", "m"),
    "stiffness": ("stiffness of joint {j}", "N·m/rad or N/m"),
    "rest": ("rest position of joint {j}", "rad or m"),
    "XX": ("inertia of link {j} about the origin of its frame, xx", "kg·m²"),
    "XY": ("inertia of link {j} about the origin of its frame, xy", "kg·m²"),
    "XZ": ("inertia of link {j} about the origin of its frame, xz", "kg·m²"),
    "YY": ("inertia of link {j} about the origin of its frame, yy", "kg·m²"),
    "YZ": ("inertia of link {j} about the origin of its frame, yz", "kg·m²"),
    "ZZ": ("inertia of link {j} about the origin of its frame, zz", "kg·m²"),
    "MX": ("first moment of link {j}, x", "kg·m"),
    "MY": ("first moment of link {j}, y", "kg·m"),
    "MZ": ("first moment of link {j}, z", "kg·m"),
    "M": ("mass of link {j}", "kg"),
    "IA": ("rotor inertia of joint {j}, seen at the joint", "kg·m² or kg"),
    "FV": ("viscous friction of joint {j}", "N·m·s/rad or N·s/m"),
    "FS": ("Coulomb friction of joint {j}", "N·m or N"),
    "FA": ("asymmetry of the Coulomb friction of joint {j}", "N·m or N"),
    "FO": ("constant offset of the torque of joint {j}", "N·m or N"),
    "FST": ("static friction of joint {j}", "N·m or N"),
    "BST": ("fading of the static friction of joint {j} with its velocity", "s/rad or s/m"),
    "VS": ("velocity of joint {j} below which the sign of friction is smoothed", "rad/s or m/s"),
    "FX": ("force of link {j} on the environment, x", "N"),
    "FY": ("force of link {j} on the environment, y", "N"),
    "FZ": ("force of link {j} on the environment, z", "N"),
    "CX": ("moment of link {j} on the environment, x", "N·m"),
    "CY": ("moment of link {j} on the environment, y", "N·m"),
    "CZ": ("moment of link {j} on the environment, z", "N·m"),
    "G": ("acceleration of gravity along {axis}0", "m/s²"),
}

#: letters: (meaning, unit, equation) of an intermediate variable of link {j}
INTERMEDIATE = {
    "WI": ("angular velocity of the antecedent of link {j}, in frame {j}", "rad/s", "K97:6a"),
    "W": ("angular velocity of link {j}", "rad/s", "K97:6b"),
    "V": ("velocity of the origin of frame {j}", "m/s", "K97:6c"),
    "WP": ("angular acceleration of link {j}", "rad/s²", "K97:8"),
    "DV": ("product of angular velocities of link {j}", "rad²/s²", "K97:9"),
    "U": ("element of U of link {j}", "rad/s²", "K97:9"),
    "VSP": ("acceleration of the origin of frame {j}, in its antecedent frame", "m/s²", "K97:10"),
    "VP": ("acceleration of the origin of frame {j}", "m/s²", "K97:10"),
    "F": ("total force on link {j}", "N", "K97:15"),
    "PIS": ("difference of moments of inertia of link {j}", "kg·m²", "K97:16"),
    "No": ("moment on link {j} from its rotation", "N·m", "K97:16"),
    "E": ("force on link {j} from its antecedent", "N", "K97:17"),
    "FDI": ("force on link {j}, in its antecedent frame", "N", "K97:18"),
    "N": ("moment on link {j} from its antecedent", "N·m", "K97:19"),
    "GAM": ("torque or force of joint {j}", "N·m or N", "K97:20"),
    "AS": ("first moments of composite link {j}, in its antecedent frame", "kg·m", "K97:27"),
    "JP": ("inertia of composite link {j} about the origin of its frame", "kg·m²", "K97:28"),
    "MSP": ("first moments of composite link {j}", "kg·m", "K97:29"),
    "MP": ("mass of composite link {j}", "kg", "K97:30"),
    "QDP": ("acceleration of joint {j}", "rad/s² or m/s²", "K10:41"),
    "H": ("torque of joint {j} without acceleration", "N·m or N", "K97:25"),
    "Q": ("torque of joint {j} against gravity", "N·m or N", "K97:23"),
    "PL": ("linear momentum of composite link {j}", "kg·m/s", ""),
    "PI": ("linear momentum of composite link {j}, in its antecedent frame", "kg·m/s", ""),
    "LL": ("angular momentum of composite link {j} about the origin of its frame", "kg·m²/s", ""),
    "COM": ("centre of mass in frame {j}", "m", ""),
    "GAMF": ("friction torque of joint {j}", "N·m or N", "K13:7.26"),
}

#: quantity of a joint: (unit of a rotation, unit of a translation)
MOTION_UNITS = {
    "position": ("rad", "m"),
    "velocity": ("rad/s", "m/s"),
    "acceleration": ("rad/s²", "m/s²"),
    "torque": ("N·m", "N"),
}
