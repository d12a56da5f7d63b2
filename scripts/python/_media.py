"""Uploads are not actions, because agents cannot send files."""

from __future__ import annotations

import json
import os
import secrets
from collections.abc import Callable, Iterator
from typing import Any, BinaryIO, cast

from ._http import Http, Options
from .types import MediaItem

CHUNK_BYTES = 64 * 1024


class MediaUploads:
    def __init__(self, http: Http) -> None:
        self._http = http

    def upload(
        self,
        file: str | os.PathLike[str] | bytes | BinaryIO,
        *,
        alt: str | None = None,
        filename: str | None = None,
        on_progress: Callable[[int, int], None] | None = None,
        options: Options | None = None,
    ) -> MediaItem:
        """Adds a file to the media library: a path, bytes, or a file opened with "rb". It is not read into memory.

        `on_progress(sent, total)` is called with byte counts; it starts over with every attempt.
        """
        if isinstance(file, (str, os.PathLike)):
            with open(file, "rb") as opened:
                name = filename or os.path.basename(os.fspath(file))
                return self.upload(opened, alt=alt, filename=name, on_progress=on_progress, options=options)
        size = len(file) if isinstance(file, bytes) else file.seek(0, os.SEEK_END)
        boundary = secrets.token_hex(16)
        head = _fields(boundary, alt, filename or "upload")
        tail = f"\r\n--{boundary}--\r\n".encode()

        def body() -> Iterator[bytes]:
            yield head
            sent = 0
            for chunk in _chunks(file):
                yield chunk
                sent += len(chunk)
                if on_progress is not None:
                    on_progress(sent, size)
            yield tail

        content_type = f"multipart/form-data; boundary={boundary}"
        length = len(head) + size + len(tail)
        item = self._http.call("POST", "/api/media", "WithKey", body, content_type, length, options)
        return cast(MediaItem, item)

    def upload_from_url(self, url: str, *, alt: str | None = None, options: Options | None = None) -> MediaItem:
        """Lets the server fetch a file from a public address and adds it to the media library."""
        body = json.dumps({"url": url, **({} if alt is None else {"alt": alt})}).encode()
        item = self._http.call(
            "POST", "/api/media/from-url", "WithKey", lambda: body, "application/json", len(body), options
        )
        return cast(MediaItem, item)


def _fields(boundary: str, alt: str | None, filename: str) -> bytes:
    safe = filename.replace("\\", "_").replace('"', "%22").replace("\r", "").replace("\n", "")
    alt_part = (
        ""
        if alt is None
        else f'--{boundary}\r\nContent-Disposition: form-data; name="alt"\r\n\r\n{alt}\r\n'
    )
    file_part = (
        f'--{boundary}\r\nContent-Disposition: form-data; name="file"; filename="{safe}"\r\n'
        "Content-Type: application/octet-stream\r\n\r\n"
    )
    return (alt_part + file_part).encode()


def _chunks(file: Any) -> Iterator[bytes]:
    if isinstance(file, bytes):
        for start in range(0, len(file), CHUNK_BYTES):
            yield file[start : start + CHUNK_BYTES]
        return
    file.seek(0)
    while chunk := file.read(CHUNK_BYTES):
        yield chunk
