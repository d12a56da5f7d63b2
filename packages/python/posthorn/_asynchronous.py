"""What the client for asyncio has beside its actions."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, BinaryIO, TypeVar

from ._http import Options
from ._posts import NotPublishedYetError, has_ended, pause_after
from ._generated.types import MediaItem, Post

if TYPE_CHECKING:
    from ._generated.client import MediaApi, PostsApi

T = TypeVar("T")


class Runner:
    """Runs calls in threads. A cancelled call is no longer waited for; its request ends by itself."""

    def __init__(self, max_connections: int) -> None:
        self._threads = ThreadPoolExecutor(max_connections, thread_name_prefix="posthorn")

    async def run(self, call: Callable[[], T]) -> T:
        return await asyncio.get_running_loop().run_in_executor(self._threads, call)

    async def close(self) -> None:
        await asyncio.to_thread(self._threads.shutdown, cancel_futures=True)


class AsyncMediaUploads:
    def __init__(self, sync: MediaApi, runner: Runner) -> None:
        self._sync = sync
        self._runner = runner

    async def upload(
        self,
        file: str | os.PathLike[str] | bytes | BinaryIO,
        *,
        alt: str | None = None,
        filename: str | None = None,
        on_progress: Callable[[int, int], None] | None = None,
        options: Options | None = None,
    ) -> MediaItem:
        """Adds a file to the media library: a path, bytes, or a file opened with "rb". It is not read into memory.

        `on_progress(sent, total)` is called in another thread.
        """
        return await self._runner.run(
            lambda: self._sync.upload(file, alt=alt, filename=filename, on_progress=on_progress, options=options)
        )

    async def upload_from_url(self, url: str, *, alt: str | None = None, options: Options | None = None) -> MediaItem:
        """Lets the server fetch a file from a public address and adds it to the media library."""
        return await self._runner.run(lambda: self._sync.upload_from_url(url, alt=alt, options=options))


class AsyncPostWaiting:
    def __init__(self, sync: PostsApi, runner: Runner) -> None:
        self._sync = sync
        self._runner = runner

    async def wait_for_result(
        self,
        post_id: str,
        *,
        wait_s: float = 600,
        every_s: float | None = None,
        since: str | None = None,
        options: Options | None = None,
    ) -> Post:
        """Waits until publishing has ended, and returns the post with a result per account: Published, or Failed.

        `since` is the `updatedAt` of a post that failed before: that failure does not count, only what comes after it.
        """
        waited = 0.0
        polls = 0
        while True:
            post = await self._runner.run(lambda: self._sync.get(id=post_id, options=options))
            if has_ended(post, since):
                return post
            pause = pause_after(polls) if every_s is None else every_s
            if waited + pause > wait_s:
                raise NotPublishedYetError(post)
            await asyncio.sleep(pause)
            waited += pause
            polls += 1
