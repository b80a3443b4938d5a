"""A report of the work on a robot: its tables, chosen models with their counts, and figures; `write` makes a file."""

from symoro.report.work.content import JointState, ReportedModel, Work
from symoro.report.work.writing import KINDS, write

__all__ = ["KINDS", "JointState", "ReportedModel", "Work", "write"]
