"""Helpers that make several calls."""

from __future__ import annotations

from typing import cast

from ._http import Http, Options
from ._generated.errors import PosthornError
from ._generated.types import Post


class NotPublishedYetError(PosthornError):
    """Not published within `wait_s`; `post` is its last known state."""

    def __init__(self, post: Post) -> None:
        super().__init__(f"The post {post['id']} is {post['status']}: nothing has been published within the time to wait")
        self.post = post


class PostWaiting:
    def __init__(self, http: Http) -> None:
        self._http = http

    def wait_for_result(
        self,
        post_id: str,
        *,
        wait_s: float = 600,
        every_s: float | None = None,
        since: str | None = None,
        options: Options | None = None,
    ) -> Post:
        """Waits until publishing has ended, and returns the post with a result per account: Published, or Failed.

        Before that a human has to publish or schedule it. Where you can, receive a webhook instead. `since` is the
        `updatedAt` of a post that failed before: that failure does not count, only what comes after it.
        """
        waited = 0.0
        polls = 0
        while True:
            post = cast(Post, self._http.action("posts.get", "Always", {"id": post_id}, options))
            if has_ended(post, since):
                return post
            pause = pause_after(polls) if every_s is None else every_s
            if waited + pause > wait_s:
                raise NotPublishedYetError(post)
            self._http.sleep(pause)
            waited += pause
            polls += 1


def has_ended(post: Post, since: str | None) -> bool:
    return post["status"] == "Published" or (post["status"] == "Failed" and (since is None or post["updatedAt"] > since))


def pause_after(polls: int) -> float:
    return float(min(2 * 1.5**polls, 15))
