"""Sends calls to the server: token, time limit, retries, errors."""

from __future__ import annotations

import gzip
import http.client
import json
import os
import random
import re
import secrets
import selectors
import threading
import time
import urllib.parse
import urllib.request
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING, Any, Literal, cast

from ._generated.version import VERSION
from ._generated.errors import ERROR_CLASSES, ApiError, PosthornConnectionError, PosthornError, PosthornTimeoutError

if TYPE_CHECKING:
    from ._generated.types import Issue

# When a call may be retried. Always: it changes nothing. WithKey: its Idempotency-Key keeps it from running twice.
# IfRefused: only after 408 and 429, when the server did not process it.
Retry = Literal["Always", "WithKey", "IfRefused"]

LONGEST_WAIT_S = 60.0
# Shorter than servers and load balancers keep an idle connection.
LONGEST_IDLE_S = 50.0


@dataclass(frozen=True)
class Options:
    """Options of one call; the others are those of the client."""

    timeout_s: float | None = None
    """The longest time without any bytes from or to the server"""
    max_retries: int | None = None
    idempotency_key: str | None = None
    """Within 24 hours, the same key and input give the first answer again. Default: a new key for every write"""
    request_id: str | None = None
    headers: Mapping[str, str] = field(default_factory=lambda: cast("dict[str, str]", {}))


@dataclass(frozen=True)
class Response:
    """What `client.last_response` holds after a call."""

    status: int
    headers: Mapping[str, str]
    request_id: str | None
    replayed: bool
    """It is the answer of an earlier call with the same Idempotency-Key"""


@dataclass(frozen=True)
class Body:
    """What a request sends. `open` is called for every attempt."""

    open: Callable[[], bytes | Iterable[bytes]]
    content_type: str
    length: int


class _Connections:
    """Idle connections, which the next calls use again. Safe for several threads."""

    def __init__(self, base_url: str) -> None:
        self._address = urllib.parse.urlsplit(base_url)
        if self._address.scheme not in ("http", "https") or self._address.hostname is None:
            raise ValueError(f"base_url must be an address such as https://posts.example.com, not {base_url}")
        proxy = urllib.request.getproxies().get(self._address.scheme)
        is_bypassed = bool(urllib.request.proxy_bypass(self._address.hostname))
        self._proxy = None if proxy is None or is_bypassed else urllib.parse.urlsplit(proxy)
        self._idle: list[tuple[http.client.HTTPConnection, float]] = []
        self._lock = threading.Lock()

    def target(self, path: str) -> str:
        """What stands in the first line of the request. A proxy for http needs the whole address."""
        whole = self._address.path.rstrip("/") + path
        if self._proxy is not None and self._address.scheme == "http":
            return f"http://{self._address.netloc}{whole}"
        return whole

    def take(self, timeout_s: float) -> http.client.HTTPConnection:
        while True:
            with self._lock:
                connection, since = self._idle.pop() if self._idle else (None, 0.0)
            if connection is None:
                return self._connect(timeout_s)
            if time.monotonic() - since < LONGEST_IDLE_S and _is_open(connection):
                connection.sock.settimeout(timeout_s)
                return connection
            connection.close()

    def give_back(self, connection: http.client.HTTPConnection) -> None:
        with self._lock:
            self._idle.append((connection, time.monotonic()))

    def close(self) -> None:
        with self._lock:
            idle, self._idle = self._idle, []
        for connection, _ in idle:
            connection.close()

    def _connect(self, timeout_s: float) -> http.client.HTTPConnection:
        kind = http.client.HTTPSConnection if self._address.scheme == "https" else http.client.HTTPConnection
        host = self._address.hostname or ""
        if self._proxy is None or self._proxy.hostname is None:
            return kind(host, self._address.port, timeout=timeout_s)
        connection = kind(self._proxy.hostname, self._proxy.port, timeout=timeout_s)
        if self._address.scheme == "https":
            connection.set_tunnel(host, self._address.port)
        return connection


def _is_open(connection: http.client.HTTPConnection) -> bool:
    """An idle connection that has something to read was closed by the server."""
    if connection.sock is None:  # pyright: ignore[reportUnnecessaryComparison]
        return False
    with selectors.DefaultSelector() as selector:
        selector.register(connection.sock, selectors.EVENT_READ)
        return not selector.select(0)


class Http:
    def __init__(
        self,
        base_url: str | None,
        token: str | Callable[[], str] | None,
        timeout_s: float,
        max_retries: int,
        headers: Mapping[str, str] | None,
        sleep: Callable[[float], None],
    ) -> None:
        self._base_url = _required("base_url", base_url, "POSTHORN_URL").rstrip("/")
        self._token: str | Callable[[], str] = token if callable(token) else _required("token", token, "POSTHORN_TOKEN")
        self._timeout_s = timeout_s
        self._max_retries = max_retries
        self._headers = dict(headers or {})
        self._connections = _Connections(self._base_url)
        self.sleep = sleep
        self.last_response: Response | None = None

    def close(self) -> None:
        self._connections.close()

    def action(self, name: str, retry: Retry, fields: Mapping[str, Any], options: Options | None) -> Any:
        present = {key: value for key, value in fields.items() if value is not None}
        return self.call("POST", f"/api/agent/tools/{name}", retry, json_body(present), options)

    def call(self, method: str, path: str, retry: Retry, body: Body | None, options: Options | None) -> Any:
        return self.send(method, path, retry, body, options)[0]

    def send(
        self,
        method: str,
        path: str,
        retry: Retry,
        body: Body | None,
        options: Options | None,
        *,
        headers: Mapping[str, str] | None = None,
        is_empty: bool = False,
    ) -> tuple[Any, Response]:
        """The answer and its response. `is_empty`: the answer has no body."""
        options = options or Options()
        sent = {
            "Accept": "application/json",
            "Accept-Encoding": "gzip",
            "User-Agent": f"posthorn-python/{VERSION}",
            **(headers or {}),
            **self._headers,
            **options.headers,
        }
        key = options.idempotency_key or (secrets.token_hex(16) if retry == "WithKey" else None)
        if key is not None:
            sent["Idempotency-Key"] = key
        if options.request_id is not None:
            sent["X-Request-Id"] = options.request_id
        if body is not None:
            sent["Content-Type"] = body.content_type
            sent["Content-Length"] = str(body.length)
        timeout_s = self._timeout_s if options.timeout_s is None else options.timeout_s
        most = self._max_retries if options.max_retries is None else options.max_retries
        retries = 0
        while True:
            token = self._token() if callable(self._token) else self._token
            sent["Authorization"] = f"Bearer {token}"
            try:
                return self._attempt(method, path, sent, body.open() if body else None, timeout_s, is_empty)
            except PosthornError as error:
                wait = wait_before_retry(error, retry, retries) if retries < most else None
                if wait is None:
                    raise
            self.sleep(wait)
            retries += 1

    def _attempt(
        self,
        method: str,
        path: str,
        headers: Mapping[str, str],
        body: bytes | Iterable[bytes] | None,
        timeout_s: float,
        is_empty: bool,
    ) -> tuple[Any, Response]:
        url = self._base_url + path
        connection = self._connections.take(timeout_s)
        try:
            connection.request(method, self._connections.target(path), body=body, headers=dict(headers))
            answer = connection.getresponse()
            status, raw = answer.status, answer.read()
        except TimeoutError as cause:
            connection.close()
            raise PosthornTimeoutError(f"{method} {url}: no answer within {timeout_s} s") from cause
        except (OSError, http.client.HTTPException) as cause:
            connection.close()
            raise PosthornConnectionError(f"{method} {url}: {cause or type(cause).__name__}") from cause
        except BaseException:
            # A file that cannot be read, or Ctrl-C: the rest of the request is missing on this connection.
            connection.close()
            raise
        if answer.will_close:
            connection.close()
        else:
            self._connections.give_back(connection)
        lowered = {name.lower(): value for name, value in answer.getheaders()}
        if lowered.get("content-encoding") == "gzip":
            raw = gzip.decompress(raw)
        response = Response(
            status, lowered, lowered.get("x-request-id"), lowered.get("idempotency-replayed") == "true"
        )
        self.last_response = response
        data = _parse_json(raw)
        if 200 <= status < 300 and (is_empty or data is not _NOT_JSON):
            return data, response
        raise _error_from(status, lowered, data)


_NOT_JSON = object()


def json_body(value: object) -> Body:
    encoded = json.dumps(value, ensure_ascii=False).encode()
    return Body(lambda: encoded, "application/json", len(encoded))


def _required(option: str, value: str | None, variable: str) -> str:
    setting = value or os.environ.get(variable)
    if not setting:
        raise ValueError(f"Posthorn needs a {option}: pass it, or set {variable}")
    return setting


def _parse_json(raw: bytes) -> Any:
    try:
        return json.loads(raw)
    except ValueError:
        return _NOT_JSON


def _code_of_status(status: int) -> str:
    """For answers of a proxy, which do not have the shape of this API: the code follows from the status."""
    codes = {401: "Unauthorized", 402: "PlanLimit", 403: "Forbidden", 409: "Conflict", 429: "TooManyRequests"}
    if status in codes:
        return codes[status]
    if status == 404 or status < 400:
        return "NotFound"
    return "BadInput" if status < 500 else "Internal"


def _error_from(status: int, headers: Mapping[str, str], data: Any) -> ApiError:
    body: Mapping[str, Any] = cast("dict[str, Any]", data) if isinstance(data, dict) else {}
    code = body.get("code")
    if code not in ERROR_CLASSES:
        code = _code_of_status(status)
    fallback = f"The server answered {status}, and not in the shape of this API: a proxy, or a wrong base_url?"
    message = body.get("message")
    issues = body.get("issues")
    return ERROR_CLASSES[str(code)](
        code=str(code),
        status=status,
        message=message if isinstance(message, str) else fallback,
        issues=cast("list[Issue]", issues) if isinstance(issues, list) else [],
        request_id=headers.get("x-request-id"),
        retry_after_s=_retry_after_s(headers.get("retry-after")),
        headers=headers,
    )


def _retry_after_s(value: str | None) -> float | None:
    """The header holds seconds or a date."""
    text = (value or "").strip()
    if re.fullmatch(r"\d+(\.\d+)?", text):
        return float(text)
    if re.match(r"(Mon|Tue|Wed|Thu|Fri|Sat|Sun)", text):
        try:
            return max(0.0, parsedate_to_datetime(text).timestamp() - time.time())
        except ValueError:
            return None
    return None


def wait_before_retry(error: Exception, retry: Retry, retries: int) -> float | None:
    # With up to 25 % jitter, so that clients that failed together do not retry together.
    backoff_s = min(0.5 * 2**retries, 8.0) * (1 - random.random() / 4)
    if isinstance(error, PosthornConnectionError):
        return None if retry == "IfRefused" else backoff_s
    if not isinstance(error, ApiError):
        return None
    is_unprocessed = error.status in (408, 429)
    if not is_unprocessed and (error.status < 500 or retry == "IfRefused"):
        return None
    wait = backoff_s if error.retry_after_s is None else error.retry_after_s
    return None if wait > LONGEST_WAIT_S else wait
