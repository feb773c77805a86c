# SPDX-License-Identifier: Apache-2.0
"""Who may talk to the studio: the browser of the person who started it, and nobody else.

The link that is printed has a token that works once, within minutes. It gives the browser a session, kept in a cookie
that no script and no other site can use. Every request must name this machine and port as its host, so that no other
name can be bound to the address; whatever changes something must come from the studio's own pages, and carry the
session's secret number. Other programs on the machine can connect, but learn nothing without the token.
"""

from __future__ import annotations

import hmac
import secrets
import time
from dataclasses import dataclass, field
from hashlib import sha256
from http.cookies import CookieError, SimpleCookie
from threading import Lock
from typing import Any
from urllib.parse import parse_qs

from starlette.responses import PlainTextResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

HEADER = "x-discreet-request"  # with the session's number, in whatever changes something
_TOKEN_SECONDS = 15 * 60
_SESSION_SECONDS = 8 * 3600
_MOST_SESSIONS = 16
_SAFE = ("GET", "HEAD")

HEADERS = {
    "Content-Security-Policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self';"
        " form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
    ),
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
    "Cache-Control": "no-store",
}


@dataclass(frozen=True)
class BrowserSession:
    """A browser that showed a token: the number that its changes must carry, and when it ends."""

    number: str
    ends: float


@dataclass
class Access:
    """The tokens and sessions of one studio. Only hashes are kept, so a copy of the memory opens nothing."""

    port: int
    _tokens: dict[str, float] = field(default_factory=dict)
    _sessions: dict[str, BrowserSession] = field(default_factory=dict)
    _lock: Lock = field(default_factory=Lock)

    @property
    def cookie(self) -> str:
        """The name of its cookie: browsers keep one jar for all ports of a machine."""
        return f"discreet_studio_{self.port}"

    @property
    def hosts(self) -> tuple[str, ...]:
        return (f"127.0.0.1:{self.port}", f"localhost:{self.port}")

    def link(self) -> str:
        """A link that opens the studio once."""
        token = secrets.token_urlsafe(32)
        with self._lock:
            self._tokens[_hash(token)] = time.monotonic() + _TOKEN_SECONDS
        return f"http://127.0.0.1:{self.port}/open?token={token}"

    def begin(self, token: str) -> str | None:
        """The cookie of a new session; None if the token is unknown, used or too old."""
        now = time.monotonic()
        with self._lock:
            ends = self._tokens.pop(_hash(token), None)
            if ends is None or ends < now:
                return None
            self._sessions = {name: one for name, one in self._sessions.items() if one.ends > now}
            while len(self._sessions) >= _MOST_SESSIONS:
                del self._sessions[min(self._sessions, key=lambda name: self._sessions[name].ends)]
            cookie = secrets.token_urlsafe(32)
            self._sessions[_hash(cookie)] = BrowserSession(secrets.token_urlsafe(24), now + _SESSION_SECONDS)
            return cookie

    def session(self, cookie: str | None) -> BrowserSession | None:
        """The session of a cookie, if it has not ended."""
        if not cookie:
            return None
        with self._lock:
            found = self._sessions.get(_hash(cookie))
        return found if found is not None and found.ends > time.monotonic() else None


def _hash(secret: str) -> str:
    return sha256(secret.encode()).hexdigest()


class Guard:
    """The door: every request passes here before any page sees it."""

    def __init__(self, app: ASGIApp, access: Access):
        self._app, self._access = app, access

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return
        if scope["type"] != "http":
            return  # no web sockets
        headers = _headers(scope)
        refusal = self._refusal(scope, headers)
        if refusal is None:
            await self._app(scope, receive, _with_headers(send))
        else:
            await refusal(scope, receive, _with_headers(send))

    def _refusal(self, scope: Scope, headers: dict[str, str]) -> Response | None:
        """Why a request gets no answer, or a new session; None if it may go on."""
        host = headers.get("host", "")
        if host not in self._access.hosts:
            return _refused("This address is not the studio's. Open the link that `discreet studio` printed.")
        if scope["path"] == "/open" and scope["method"] == "GET":
            return self._opened(scope)
        session = self._access.session(_cookie(headers.get("cookie", ""), self._access.cookie))
        if session is None:
            return _refused("The studio opens with the link that `discreet studio` printed. Each link works once.")
        if scope["method"] not in _SAFE:
            if not _is_own(headers, host):
                return _refused("This request came from another site.")
            if not hmac.compare_digest(headers.get(HEADER, "").encode(), session.number.encode()):
                return _refused("This page is from an earlier session. Load it again.")
        scope["session"] = session
        return None

    def _opened(self, scope: Scope) -> Response:
        token = parse_qs(scope.get("query_string", b"").decode("latin-1")).get("token", [""])[0]
        cookie = self._access.begin(token)
        if cookie is None:
            return _refused(
                "This link was used already, or is too old. Press Enter where the studio runs for a new one."
            )
        answer = RedirectResponse("/", status_code=303)
        answer.set_cookie(
            self._access.cookie, cookie, max_age=_SESSION_SECONDS, httponly=True, samesite="lax", path="/"
        )
        return answer


def _is_own(headers: dict[str, str], host: str) -> bool:
    """Whether a request that changes something comes from a page of the studio: browsers say so, and always did."""
    if headers.get("sec-fetch-site", "same-origin") != "same-origin":
        return False
    return headers.get("origin") == f"http://{host}"


def _refused(why: str) -> Response:
    return PlainTextResponse(f"{why}\n", status_code=403)


def _headers(scope: Scope) -> dict[str, str]:
    """The headers of a request; one that is there twice counts as neither."""
    found: dict[str, str] = {}
    for name, value in scope["headers"]:
        key = name.decode("latin-1").lower()
        found[key] = "" if key in found else value.decode("latin-1")
    return found


def _cookie(text: str, name: str) -> str | None:
    try:
        morsel = SimpleCookie(text).get(name)
    except CookieError:
        return None
    return None if morsel is None else morsel.value


def _with_headers(send: Send) -> Send:
    async def sending(message: Message) -> None:
        if message["type"] == "http.response.start":
            own: list[Any] = [(name.lower().encode(), value.encode()) for name, value in HEADERS.items()]
            given = {name.lower() for name, _ in own}
            message["headers"] = [*(pair for pair in message["headers"] if pair[0].lower() not in given), *own]
        await send(message)

    return sending
