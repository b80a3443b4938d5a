"""Refuses requests that do not come from the page itself, and adds the headers that keep the page closed.

The server listens on this computer only, but any web page that the user visits can send requests there, and a name of
another domain can be made to point here (DNS rebinding). So the names in Host and Origin are checked.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from secrets import compare_digest
from urllib.parse import urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from symoro.findings import Finding
from symoro.web.encoding import language_of

LARGEST = 4_000_000
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; font-src 'self'; "
    "connect-src 'self'; worker-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'"
)
HEADERS = {
    "content-security-policy": POLICY,
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
}
LOCAL = ("127.0.0.1", "localhost", "::1")


@dataclass(frozen=True, slots=True)
class Guard:
    """The middleware. `hosts` are the names of the server; where there is a token, each request of data has it."""

    app: ASGIApp
    hosts: frozenset[str] = frozenset(LOCAL)
    token: str = ""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            return await self.app(scope, receive, send)
        refused = self._refused(Headers(scope=scope), scope["path"], scope["method"])

        async def closed(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in HEADERS.items():
                    headers[name] = value
                if scope["path"].startswith("/api"):
                    headers["cache-control"] = "no-store"
            await send(message)

        if refused is not None:
            status, reason = refused
            language = language_of(Headers(scope=scope).get("accept-language", ""))
            return await JSONResponse({"message": reason.sentence(language)}, status)(scope, receive, closed)
        return await self.app(scope, _Limited(receive), closed)

    def _refused(self, headers: Headers, path: str, method: str) -> tuple[int, Finding] | None:
        """Status and reason where a request is refused."""
        host = headers.get("host", "")
        if _name(f"//{host}") not in self.hosts:
            return 403, Finding("page.host")
        origin = headers.get("origin")
        if origin is not None and _host_and_port(origin) != host:
            return 403, Finding("page.origin", header="Origin")
        if headers.get("sec-fetch-site", "same-origin") not in ("same-origin", "none"):
            return 403, Finding("page.origin", header="Sec-Fetch-Site")
        if not path.startswith("/api"):
            return None
        if self.token and not compare_digest(headers.get("x-symoro-token", "").encode(), self.token.encode()):
            return 401, Finding("page.token")
        if _too_long(headers.get("content-length", "0")):
            return 413, Finding("page.too_large", most=LARGEST)
        if method == "POST" and not headers.get("content-type", "").startswith("application/json"):
            return 415, Finding("page.json")
        return None


def _name(address: str) -> str | None:
    try:
        return urlsplit(address).hostname
    except ValueError:
        return None


def _host_and_port(origin: str) -> str | None:
    """Those of an origin with a scheme of the web; None of another one."""
    try:
        parts = urlsplit(origin)
    except ValueError:
        return None
    return parts.netloc if parts.scheme in ("http", "https") else None


def _too_long(length: str) -> bool:
    return not length.isdecimal() or int(length[:20]) > LARGEST


class _Limited:
    """Receives the body of a request, and cuts off one that is longer than it said."""

    def __init__(self, receive: Receive) -> None:
        self.receive, self.size = receive, 0

    async def __call__(self) -> Message:
        message = await self.receive()
        self.size += len(message.get("body", b""))
        if self.size > LARGEST:
            return {"type": "http.request", "body": b"", "more_body": False}
        return message


def hosts_of(host: str, names: Iterable[str] = ()) -> frozenset[str]:
    """The names by which a server on this address may be called."""
    return frozenset({*LOCAL, *names, *([host] if host not in ("0.0.0.0", "::") else [])})
