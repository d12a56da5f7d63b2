"""Uploads are not actions, because agents cannot send files."""

from __future__ import annotations

import base64
import hashlib
import os
import secrets
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import BinaryIO, cast

from ._http import Body, Http, Options, Response, json_body, wait_before_retry
from ._generated.errors import ApiError, PosthornError
from ._generated.types import MediaItem

CHUNK_BYTES = 64 * 1024
# Larger files are sent by the tus protocol, which continues after a broken connection.
RESUMABLE_BYTES = 16 * 1024 * 1024
# One request: many proxies refuse bodies of 100 MB and more.
REQUEST_BYTES = 32 * 1024 * 1024
# An outage of half a minute is normal on the lines that need this.
RESUMABLE_RETRIES = 8
FINGERPRINT_BYTES = 1024 * 1024
TUS = {"Tus-Resumable": "1.0.0"}

OnProgress = Callable[[int, int], None]


class MediaUploads:
    def __init__(self, http: Http) -> None:
        self._http = http

    def upload(
        self,
        file: str | os.PathLike[str] | bytes | BinaryIO,
        *,
        alt: str | None = None,
        filename: str | None = None,
        on_progress: OnProgress | None = None,
        options: Options | None = None,
    ) -> MediaItem:
        """Adds a file to the media library: a path, bytes, or a file opened with "rb". It is not read into memory.

        `on_progress(sent, total)` is called with byte counts. After a broken connection it goes back to what has arrived.
        An upload has no time limit as a whole: `timeout_s` is the longest time without progress. Files of more than 16 MB
        continue after a broken connection, and with the same `idempotency_key` also in another run of your program.
        """
        if isinstance(file, (str, os.PathLike)):
            path = os.fspath(file)
            with open(path, "rb") as opened:
                name = filename or os.path.basename(path)
                return self.upload(opened, alt=alt, filename=name, on_progress=on_progress, options=options)
        size = len(file) if isinstance(file, bytes) else file.seek(0, os.SEEK_END)
        name = filename or "upload"
        if size > RESUMABLE_BYTES:
            return self._upload_resumably(file, size, name, alt, on_progress, options or Options())
        boundary = secrets.token_hex(16)
        head = _fields(boundary, alt, name)
        tail = f"\r\n--{boundary}--\r\n".encode()

        def body() -> Iterator[bytes]:
            yield head
            yield from _chunks(file, 0, size, size, on_progress)
            yield tail

        form = Body(body, f"multipart/form-data; boundary={boundary}", len(head) + size + len(tail))
        return cast(MediaItem, self._http.call("POST", "/api/media", "WithKey", form, options))

    def upload_from_url(self, url: str, *, alt: str | None = None, options: Options | None = None) -> MediaItem:
        """Lets the server fetch a file from a public address and adds it to the media library."""
        body = json_body({"url": url, **({} if alt is None else {"alt": alt})})
        return cast(MediaItem, self._http.call("POST", "/api/media/from-url", "WithKey", body, options))

    def _upload_resumably(
        self,
        file: bytes | BinaryIO,
        size: int,
        filename: str,
        alt: str | None,
        on_progress: OnProgress | None,
        options: Options,
    ) -> MediaItem:
        most = RESUMABLE_RETRIES if options.max_retries is None else options.max_retries
        with_key = replace(options, max_retries=most)
        patient = replace(with_key, idempotency_key=None)
        headers = {**TUS, "Upload-Length": str(size), "Upload-Metadata": _metadata(file, size, filename, alt)}
        _, created = self._http.send(
            "POST", "/api/media/uploads", "WithKey", None, with_key, headers=headers, is_empty=True
        )
        path = f"/api/media/uploads/{created.headers['location'].rsplit('/', 1)[-1]}"
        offset = _offset(created)
        failures = 0
        while offset < size:
            before = offset
            try:
                offset = self._send_part(file, path, offset, size, on_progress, replace(patient, max_retries=0))
            except PosthornError as error:
                wait = wait_before_retry(error, "WithKey", failures)
                if wait is None and isinstance(error, ApiError) and error.status == 409:
                    wait = 0.5
                if wait is None or failures >= most:
                    raise
                self._http.sleep(wait)
                _, state = self._http.send("HEAD", path, "Always", None, patient, headers=TUS, is_empty=True)
                offset = _offset(state)
                failures += 1
            if offset > before:
                failures = 0
        while True:
            item, response = self._http.send("GET", path, "Always", None, patient)
            if response.status != 202:
                return cast(MediaItem, item)
            self._http.sleep(1)

    def _send_part(
        self,
        file: bytes | BinaryIO,
        path: str,
        offset: int,
        size: int,
        on_progress: OnProgress | None,
        options: Options,
    ) -> int:
        end = min(offset + REQUEST_BYTES, size)
        body = Body(
            lambda: _chunks(file, offset, end, size, on_progress), "application/offset+octet-stream", end - offset
        )
        headers = {**TUS, "Upload-Offset": str(offset)}
        _, response = self._http.send("PATCH", path, "IfRefused", body, options, headers=headers, is_empty=True)
        return _offset(response)


def _offset(response: Response) -> int:
    return int(response.headers["upload-offset"])


def _metadata(file: bytes | BinaryIO, size: int, filename: str, alt: str | None) -> str:
    """With a fingerprint, so that a key that was used for another file of the same size is noticed."""
    edges = hashlib.sha256(_read(file, 0, FINGERPRINT_BYTES) + _read(file, size - FINGERPRINT_BYTES, FINGERPRINT_BYTES))
    fields = {"filename": filename, "alt": alt, "fingerprint": edges.hexdigest()}
    return ",".join(
        f"{key} {base64.b64encode(value.encode()).decode()}" for key, value in fields.items() if value is not None
    )


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


def _read(file: bytes | BinaryIO, start: int, length: int) -> bytes:
    if isinstance(file, bytes):
        return file[start : start + length]
    file.seek(start)
    return file.read(length)


def _chunks(
    file: bytes | BinaryIO, start: int, end: int, total: int, on_progress: OnProgress | None
) -> Iterator[bytes]:
    while start < end:
        chunk = _read(file, start, min(CHUNK_BYTES, end - start))
        if not chunk:
            raise ValueError("the file became shorter during the upload")
        yield chunk
        start += len(chunk)
        if on_progress is not None:
            on_progress(start, total)
