"""The command line `symoro`; `app.py` has the table of its commands.

Results go to stdout, progress and errors to stderr. The exit status is 0 for success, 1 if the work failed, 2 for bad
usage: errors of `_BAD_USAGE`, and those whose finding has the tag `usage`.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import NoReturn

from symoro.errors import OptionError, SymoroError, UnknownModel, UnknownRobot

_BAD_USAGE = (OptionError, UnknownModel, UnknownRobot)


def main(argv: Sequence[str] | None = None) -> NoReturn:
    """Run the command line and end the process with its exit status."""
    from symoro.cli.app import app, asked
    from symoro.cli.completion import words_of_bash
    from symoro.cli.output import failed, shown_warnings, use_any_encoding

    words = list(sys.argv[1:] if argv is None else argv)
    use_any_encoding()
    try:
        with words_of_bash(), shown_warnings():
            app(asked(words))(args=words, prog_name="symoro")
    except SymoroError as error:
        failed(error, as_json="--json" in words)
        sys.exit(2 if isinstance(error, _BAD_USAGE) or error.finding.has("usage") else 1)
    except OSError as error:
        reason = error.strerror or str(error)
        file = SymoroError("commands.file", path=str(error.filename), reason=reason) if error.filename else None
        failed(file or SymoroError("commands.system", reason=reason), as_json="--json" in words)
        sys.exit(1)
    sys.exit(0)
