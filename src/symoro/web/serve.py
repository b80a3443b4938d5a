"""Starts the server and opens the browser."""

from __future__ import annotations

import socket
import threading
import webbrowser
from collections.abc import Callable
from secrets import token_urlsafe

from symoro.errors import SymoroError
from symoro.web.security import LOCAL, hosts_of


def address(host: str, port: int, token: str = "") -> str:
    """What to open in a browser; the token is in the fragment, which a browser does not send."""
    name = f"[{host}]" if ":" in host else host
    return f"http://{name}:{port}/" + (f"#token={token}" if token else "")


def serve(host: str, port: int, browser: bool, seconds: float, megabytes: int, say: Callable[[str], None]) -> None:
    """Serve the page until the process is interrupted; port 0 takes a free one."""
    import uvicorn

    from symoro.web.api import application
    from symoro.web.jobs import Jobs, Limits

    bound = _bound(host, port)
    token = "" if host in LOCAL else token_urlsafe(16)
    jobs = Jobs(Limits(seconds, megabytes))
    app = application(jobs, hosts_of(host, _own_names() if token else ()), token)
    url = address(host if host not in ("0.0.0.0", "::") else _own_names()[0], bound.getsockname()[1], token)
    say(f"symoro is at {url}  (Ctrl C ends it)")
    if browser:
        threading.Timer(0.6, webbrowser.open, (url,)).start()
    server = uvicorn.Server(uvicorn.Config(app, log_level="warning", timeout_graceful_shutdown=2))
    server.run(sockets=[bound])


def _bound(host: str, port: int) -> socket.socket:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    made = socket.socket(family, socket.SOCK_STREAM)
    made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        made.bind((host, port))
    except (OSError, OverflowError) as error:
        made.close()
        raise SymoroError(f"{host}:{port} cannot be used: {error} (choose another one with --port)") from error
    return made


def _own_names() -> list[str]:
    """The names and addresses of this computer."""
    name = socket.gethostname()
    try:
        return [name, *(str(info[4][0]) for info in socket.getaddrinfo(name, None))]
    except OSError:
        return [name]
