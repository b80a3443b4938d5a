"""The documentation as HTML, with its generated reference pages: python docs/build.py [folder].

Sphinx reads the written pages and the generated ones. A warning, such as a link that leads nowhere, is an error.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from reference import pages

DOCS = Path(__file__).parent


def main(folder: Path) -> int:
    """Write the HTML into a folder; the status of Sphinx."""
    with tempfile.TemporaryDirectory() as place:
        source = Path(place) / "source"
        shutil.copytree(DOCS, source, ignore=shutil.ignore_patterns("__pycache__"))
        for name, text in pages().items():
            (source / f"{name}.md").write_text(text, encoding="utf-8")
        command = ["-m", "sphinx", "-W", "--keep-going", "-q", "-b", "html", "-d", str(Path(place) / "trees")]
        status = subprocess.run([sys.executable, *command, str(source), str(folder)], check=False).returncode
    if status == 0:
        print(f"{len(list(folder.glob('**/*.html')))} pages: open {folder / 'index.html'}")
    return status


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1] if len(sys.argv) > 1 else "site")))
