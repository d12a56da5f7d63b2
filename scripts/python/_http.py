"""Sends calls to the server: token, time limit, retries, errors."""

from __future__ import annotations

import gzip
import http.client
import json
import os
import random
import re
import secrets
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from email.utils import parsedate_to_datetime
from typing import Any, Literal

from ._version import VERSION
from .errors import ERROR_CLASSES, PosthornConnectionError, PosthornError, PosthornTimeoutError

# When a call may be retried. Always: it changes nothing. WithKey: its Idempotency-Key keeps it from running twice.
# IfRefused: only after 408 and 429, when the server did not process it.
Retry = Literal["Always", "WithKey", "IfRefused"]

LONGEST_WAIT_S = 60.0


@dataclass(frozen=True)
class Options:
    """Options of one call; the others are those of the client."""

    timeout_s: float | None = None
    max_retries: int | None = None
    idempotency_key: str | None = None
    """Within 24 hours, the same key and input give the first answer again. Default: a new key for every write"""
    request_id: str | None = None
    headers: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Response:
    """What `client.last_response` holds after a call."""

    status: int
    headers: Mapping[str, str]
    request_id: str | None
    replayed: bool
    """It is the answer of an earlier call with the same Idempotency-Key"""


class _NoRedirects(urllib.request.HTTPRedirectHandler):
    """The API never redirects; following one would turn a POST into a GET."""

    def redirect_request(self, *_: Any) -> None:
        return None


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
        self._opener = urllib.request.build_opener(_NoRedirects)
        self.sleep = sleep
        self.last_response: Response | None = None

    def action(self, name: str, retry: Retry, fields: Mapping[str, Any], options: Options | None) -> Any:
        present = {key: value for key, value in fields.items() if value is not None}
        body = json.dumps(present, ensure_ascii=False).encode()
        return self.call("POST", f"/api/agent/tools/{name}", retry, lambda: body, "application/json", len(body), options)

    def call(
        self,
        method: str,
        path: str,
        retry: Retry,
        body: Callable[[], bytes | Iterable[bytes]] | None,
        content_type: str | None,
        length: int | None,
        options: Options | None,
    ) -> Any:
        options = options or Options()
        headers = {
            "Accept": "application/json",
            "Accept-Encoding": "gzip",
            "User-Agent": f"posthorn-python/{VERSION}",
            **self._headers,
            **options.headers,
        }
        key = options.idempotency_key or (secrets.token_hex(16) if retry == "WithKey" else None)
        if key is not None:
            headers["Idempotency-Key"] = key
        if options.request_id is not None:
            headers["X-Request-Id"] = options.request_id
        if content_type is not None:
            headers["Content-Type"] = content_type
            headers["Content-Length"] = str(length)
        timeout_s = self._timeout_s if options.timeout_s is None else options.timeout_s
        most = self._max_retries if options.max_retries is None else options.max_retries
        retries = 0
        while True:
            token = self._token() if callable(self._token) else self._token
            headers["Authorization"] = f"Bearer {token}"
            try:
                return self._attempt(method, path, headers, body() if body else None, timeout_s)
            except (PosthornError, PosthornConnectionError) as error:
                wait = _wait_before_retry(error, retry, retries) if retries < most else None
                if wait is None:
                    raise
            self.sleep(wait)
            retries += 1

    def _attempt(
        self, method: str, path: str, headers: Mapping[str, str], body: bytes | Iterable[bytes] | None, timeout_s: float
    ) -> Any:
        url = self._base_url + path
        request = urllib.request.Request(url, data=body, headers=dict(headers), method=method)  # type: ignore[arg-type]
        try:
            try:
                with self._opener.open(request, timeout=timeout_s) as answer:
                    status, received, raw = answer.status, answer.headers, answer.read()
            except urllib.error.HTTPError as refusal:
                with refusal:
                    status, received, raw = refusal.code, refusal.headers, refusal.read()
        except TimeoutError as cause:
            raise PosthornTimeoutError(f"{method} {url}: no answer within {timeout_s} s") from cause
        except urllib.error.URLError as cause:
            if isinstance(cause.reason, TimeoutError):
                raise PosthornTimeoutError(f"{method} {url}: no answer within {timeout_s} s") from cause
            raise PosthornConnectionError(f"{method} {url}: {cause.reason}") from cause
        except (OSError, http.client.HTTPException) as cause:
            raise PosthornConnectionError(f"{method} {url}: {cause or type(cause).__name__}") from cause
        lowered = {name.lower(): value for name, value in received.items()}
        if lowered.get("content-encoding") == "gzip":
            raw = gzip.decompress(raw)
        self.last_response = Response(
            status, lowered, lowered.get("x-request-id"), lowered.get("idempotency-replayed") == "true"
        )
        data = _parse_json(raw)
        if 200 <= status < 300 and data is not _NOT_JSON:
            return data
        raise _error_from(status, lowered, data)


_NOT_JSON = object()


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


def _error_from(status: int, headers: Mapping[str, str], data: Any) -> PosthornError:
    body: Mapping[str, Any] = data if isinstance(data, dict) else {}
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
        issues=issues if isinstance(issues, list) else [],
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


def _wait_before_retry(error: Exception, retry: Retry, retries: int) -> float | None:
    # With up to 25 % jitter, so that clients that failed together do not retry together.
    backoff_s = min(0.5 * 2**retries, 8.0) * (1 - random.random() / 4)
    if isinstance(error, PosthornConnectionError):
        return None if retry == "IfRefused" else backoff_s
    assert isinstance(error, PosthornError)
    is_unprocessed = error.status in (408, 429)
    if not is_unprocessed and (error.status < 500 or retry == "IfRefused"):
        return None
    wait = backoff_s if error.retry_after_s is None else error.retry_after_s
    return None if wait > LONGEST_WAIT_S else wait
