"""Webhooks: is a delivery from Posthorn, and from now?"""

from __future__ import annotations

import hashlib
import hmac
import json
import re
import time
from collections.abc import Mapping, Sequence
from typing import Any, Literal, cast

from ._generated.errors import PosthornError
from ._generated.types import WebhookEvent

WebhookRefusal = Literal[
    "MissingSecret",
    "NotTheRawBody",
    "MissingHeader",
    "MalformedHeader",
    "WrongSignature",
    "TooOld",
    "FromTheFuture",
    "NotAnEvent",
]


class WebhookVerificationError(PosthornError):
    """The delivery does not come from Posthorn, or not now: answer 400 and do nothing."""

    def __init__(self, reason: WebhookRefusal, message: str) -> None:
        super().__init__(message)
        self.reason = reason


def verify_webhook(
    raw_body: bytes | str,
    headers: Mapping[str, Any] | str | None,
    secret: str | Sequence[str],
    *,
    tolerance_s: float = 300,
    now: float | None = None,
) -> WebhookEvent:
    """Checks the `Posthorn-Signature` header of a delivery and returns its event.

    `raw_body` is the body as received, before any parsing (Flask: `request.get_data()`, Django: `request.body`, FastAPI:
    `await request.body()`). `headers` are those of the request, or the value of `Posthorn-Signature`. `secret` is the signing
    secret as it was shown, `whsec_` included; during a rotation, both. An event may arrive twice: deduplicate by its `id`.
    Answer 2xx to types you do not know; new ones may come.
    """
    secrets = [secret] if isinstance(secret, str) else list(secret or [])
    # Callers without a type checker pass anything.
    if not secrets or not all(isinstance(one, str) and one for one in secrets):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise WebhookVerificationError("MissingSecret", "There is no signing secret: pass the one of the webhook")
    if not isinstance(raw_body, (bytes, bytearray, str)):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise WebhookVerificationError(
            "NotTheRawBody", "The body is neither text nor bytes: pass it as received, before anything parses it"
        )
    body = raw_body.encode() if isinstance(raw_body, str) else bytes(raw_body)
    signed_at, signatures = _parse_header(_header_in(headers))
    expected = [_signature(signed_at, body, one) for one in secrets]
    # All are compared, each in constant time.
    if not any([hmac.compare_digest(mine, theirs) for mine in expected for theirs in signatures]):
        raise WebhookVerificationError(
            "WrongSignature",
            "No signature matches: the secret is another one, or the body is not the raw body as received",
        )
    age_s = (time.time() if now is None else now) - int(signed_at)
    if age_s > tolerance_s:
        raise WebhookVerificationError("TooOld", f"Signed more than {tolerance_s} seconds ago")
    if age_s < -tolerance_s:
        raise WebhookVerificationError("FromTheFuture", f"Signed more than {tolerance_s} seconds ahead of this clock")
    return _parse_event(body)


def sign_webhook(raw_body: bytes | str, secret: str, *, now: float | None = None) -> str:
    """Makes a `Posthorn-Signature` header, so that a receiver can be tested without a server."""
    signed_at = str(int(time.time() if now is None else now))
    body = raw_body.encode() if isinstance(raw_body, str) else raw_body
    return f"t={signed_at},v1={_signature(signed_at, body, secret)}"


def _signature(signed_at: str, body: bytes, secret: str) -> str:
    return hmac.new(secret.encode(), signed_at.encode() + b"." + body, hashlib.sha256).hexdigest()


def _header_in(headers: Mapping[str, Any] | str | None) -> str | None:
    if headers is None or isinstance(headers, str):
        return headers
    for name, value in headers.items():
        # Django's request.META calls it HTTP_POSTHORN_SIGNATURE.
        if str(name).lower().replace("_", "-").removeprefix("http-") == "posthorn-signature":
            return str(value)
    return None


def _parse_header(header: str | None) -> tuple[str, list[str]]:
    if not header:
        raise WebhookVerificationError("MissingHeader", "There is no Posthorn-Signature header")
    parts = [part.strip() for part in header.split(",")]
    times = [part[2:] for part in parts if part.startswith("t=")]
    signatures = [part[3:] for part in parts if re.fullmatch(r"v1=[0-9a-f]{64}", part)]
    if len(times) != 1 or not re.fullmatch(r"[0-9]{1,12}", times[0]) or not signatures:
        raise WebhookVerificationError(
            "MalformedHeader", "The Posthorn-Signature header is not `t=<unix seconds>,v1=<hex>`"
        )
    return times[0], signatures


def _parse_event(body: bytes) -> WebhookEvent:
    try:
        event = json.loads(body)
    except ValueError:
        event = None
    fields = cast("dict[str, object]", event) if isinstance(event, dict) else {}
    if isinstance(fields.get("id"), str) and isinstance(fields.get("type"), str):
        return cast(WebhookEvent, event)
    raise WebhookVerificationError("NotAnEvent", "The signature is right, but the body is not an event")
