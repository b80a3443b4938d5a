"""Starts the server and opens the browser."""

from __future__ import annotations

import json
import socket
import threading
import webbrowser
import zlib
from base64 import urlsafe_b64encode
from collections.abc import Callable
from dataclasses import dataclass
from secrets import token_urlsafe

from symoro.errors import SymoroError
from symoro.robot.robot import Robot
from symoro.web.document import document_of
from symoro.web.security import LOCAL, hosts_of


def address(host: str, port: int, token: str = "", robot: Robot | None = None) -> str:
    """What to open in a browser; token and robot are in the fragment, which a browser does not send."""
    name = f"[{host}]" if ":" in host else host
    carried = {"token": token, "robot": packed(robot) if robot else ""}
    fragment = "&".join(f"{key}={text}" for key, text in carried.items() if text)
    return f"http://{name}:{port}/" + (f"#{fragment}" if fragment else "")


def packed(robot: Robot) -> str:
    """The robot as letters of an address, as the page's links carry it."""
    squeeze = zlib.compressobj(9, zlib.DEFLATED, -15)  # without the header of zlib: deflate-raw of browsers
    data = squeeze.compress(json.dumps(document_of(robot)).encode()) + squeeze.flush()
    return urlsafe_b64encode(data).decode().rstrip("=")


@dataclass(frozen=True)
class Served:
    """Where the page is served, whether a browser opens it, and what a model may take; port 0 is a free one."""

    host: str = "127.0.0.1"
    port: int = 0
    browser: bool = True
    seconds: float = 600
    megabytes: int = 2000


def serve(place: Served, say: Callable[[str], None], robot: Robot | None = None) -> None:
    """Serve the page until the process is interrupted, and begin with a robot."""
    import uvicorn

    from symoro.web.api import application
    from symoro.web.jobs import Jobs, TaskLimits

    host, bound = place.host, _bound(place.host, place.port)
    token = "" if host in LOCAL else token_urlsafe(16)
    jobs = Jobs(TaskLimits(place.seconds, place.megabytes))
    app = application(jobs, hosts_of(host, _names_here() if token else ()), token)
    name = host if host not in ("0.0.0.0", "::") else _names_here()[0]
    port = bound.getsockname()[1]
    say(f"symoro is at {address(name, port, token)}  (Ctrl C ends it)")
    if place.browser:
        threading.Timer(0.6, webbrowser.open, (address(name, port, token, robot),)).start()
    server = uvicorn.Server(uvicorn.Config(app, log_level="warning", timeout_graceful_shutdown=2))
    server.run(sockets=[bound])


def _bound(host: str, port: int) -> socket.socket:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    bound = socket.socket(family, socket.SOCK_STREAM)
    bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        bound.bind((host, port))
    except (OSError, OverflowError) as error:
        bound.close()
        reason = error.strerror or str(error) if isinstance(error, OSError) else str(error)
        raise SymoroError("page.address_taken", host=host, port=port, reason=reason) from error
    return bound


def _names_here() -> list[str]:
    """The names and addresses of this computer."""
    name = socket.gethostname()
    try:
        return [name, *(str(info[4][0]) for info in socket.getaddrinfo(name, None))]
    except OSError:
        return [name]
