"""What the process of a request may do: limited memory, no files but those of Python, no programs, no network."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Any

MEGABYTE = 1024 * 1024
#: Events by which a process would act on the machine; a request has no need of them.
_FORBIDDEN = frozenset(
    {
        *("subprocess.Popen", "os.system", "os.exec", "os.posix_spawn", "os.spawn", "os.fork", "os.forkpty", "os.kill"),
        *("os.remove", "os.rename", "os.rmdir", "os.mkdir", "os.link", "os.symlink", "os.truncate", "os.chmod"),
        *("socket.connect", "socket.bind", "socket.getaddrinfo", "socket.sendto", "shutil.rmtree"),
    }
)


def limit_memory(megabytes: int) -> None:
    """Let allocations fail above this size, counted from what the process has now; where the system can do it."""
    try:
        import resource
    except ImportError:  # Windows
        return
    now = _address_space()
    if now is not None:
        most = now + megabytes * MEGABYTE
        resource.setrlimit(resource.RLIMIT_AS, (most, most))


def _address_space() -> int | None:
    """The size of the process as the limit counts it; None where it is not known, as on macOS."""
    try:
        return int(Path("/proc/self/statm").read_text().split()[0]) * os.sysconf("SC_PAGE_SIZE")
    except (OSError, ValueError):
        return None


def forbid_files() -> None:
    """From now on, and for the life of the process, refuse to open files other than those of Python and its packages.

    A file that was dropped on the page can name others (includes, meshes): none of them may be read.
    """
    allowed = tuple({os.path.realpath(root) for root in (sys.prefix, sys.base_prefix, *filter(None, sys.path))})
    package = os.path.realpath(Path(__file__).parents[1])
    roots = tuple(f"{root}{os.sep}" for root in (*allowed, package))

    def hook(event: str, arguments: tuple[Any, ...]) -> None:
        if event in ("open", "os.listdir", "os.scandir"):
            path, _, flags = (*arguments, None, None)[:3]
            writes = isinstance(flags, int) and flags & (os.O_WRONLY | os.O_RDWR | os.O_CREAT)
            if not isinstance(path, int) and (writes or not _inside(path, roots)):
                raise PermissionError("a request may not open files")
        elif event in _FORBIDDEN:
            raise PermissionError(f"a request may not do this ({event})")

    sys.addaudithook(hook)


def _inside(path: Any, roots: tuple[str, ...]) -> bool:
    return f"{os.path.realpath(os.fsdecode(path or '.'))}{os.sep}".startswith(roots)
