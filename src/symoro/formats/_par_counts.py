"""Finds how many frames, joints and links a `.par` file describes, even if its header is wrong."""

from __future__ import annotations

from typing import NamedTuple

from symoro.formats._par_keys import GEOMETRIC
from symoro.formats._par_lists import Lists
from symoro.formats._report import MAX_FRAMES


class Counts(NamedTuple):
    """NF, NJ and NL; `repaired` means that the header is wrong and they come from the lists."""

    frames: int
    joints: int
    links: int
    repaired: bool

    @property
    def cuts(self) -> int:
        """B, the number of cut loops."""
        return self.frames - self.joints


def find_counts(lists: Lists) -> Counts:
    """The counts of the header if they agree with the geometric lists, else the counts that follow from the lists."""
    header = {key: lists.integer(key) for key in ("NF", "NJ", "NL")}
    lengths = [length for key in GEOMETRIC if (length := lists.length(key)) is not None]
    frames, joints, links = header["NF"], header["NJ"], header["NL"]
    agreed = len(set(lengths)) == 1
    if frames is not None and joints is not None and links is not None:
        consistent = frames - joints == joints - links >= 0 and links >= 1 and not _unsaid_loops(lists, frames, joints)
        if consistent and (frames in lengths or not agreed):
            return _limited(lists, Counts(frames, joints, links, repaired=False))
    if not lengths:
        lists.report.error("no geometric list (needed: ant, sigma, b, d, r, gamma, alpha, mu, theta)")
        return Counts(0, 0, 0, repaired=True)
    return _limited(lists, _from_lists(lists, header, max(set(lengths), key=lengths.count)))


def _unsaid_loops(lists: Lists, frames: int, joints: int) -> bool:
    """Whether `Type` says that there are loops, but the counts do not."""
    return lists.integer("Type") == 2 and frames == joints


def _from_lists(lists: Lists, header: dict[str, int | None], frames: int) -> Counts:
    """NF is the length of the geometric lists, B the number of fixed frames at their end."""
    cuts = 0
    if "sigma" in lists.entries:
        sigmas = [item.text for item in lists.entries["sigma"].items[:frames]]
        cuts = next((place for place, sigma in enumerate(reversed(sigmas)) if sigma != "2"), 0)
        cuts = min(cuts, (frames - 1) // 2)
    counts = Counts(frames, frames - cuts, frames - 2 * cuts, repaired=True)
    said = ", ".join(f"{key} = {'absent' if number is None else number}" for key, number in header.items())
    lists.warning(
        "NF",
        f"the header ({said}) does not agree with the geometric lists: "
        f"taken as NF = {counts.frames}, NJ = {counts.joints}, NL = {counts.links}",
    )
    return counts


def _limited(lists: Lists, counts: Counts) -> Counts:
    if counts.frames > MAX_FRAMES:
        lists.report.error(f"{counts.frames} frames (at most {MAX_FRAMES})", lists.line_of("NF", None))
        lists.report.raise_errors()
    return counts
