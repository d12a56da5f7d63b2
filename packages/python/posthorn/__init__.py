"""The typed client of Posthorn, the self-hostable social publishing service."""

from ._http import Options, Response
from ._posts import NotPublishedYetError
from ._generated.async_client import AsyncPosthorn
from ._generated.client import Posthorn, WhoAmI
from ._generated.errors import ApiError, PosthornConnectionError, PosthornError, PosthornTimeoutError, BadInputError, InvalidError, UnauthorizedError, PlanLimitError, ApprovalRequiredError, ForbiddenError, NotFoundError, UnknownActionError, ConflictError, TooManyRequestsError, InternalError
from .webhooks import WebhookVerificationError, sign_webhook, verify_webhook
from ._generated.version import VERSION as __version__

__all__ = [
    "Options",
    "Response",
    "NotPublishedYetError",
    "AsyncPosthorn",
    "Posthorn",
    "WhoAmI",
    "ApiError",
    "PosthornConnectionError",
    "PosthornError",
    "PosthornTimeoutError",
    "BadInputError",
    "InvalidError",
    "UnauthorizedError",
    "PlanLimitError",
    "ApprovalRequiredError",
    "ForbiddenError",
    "NotFoundError",
    "UnknownActionError",
    "ConflictError",
    "TooManyRequestsError",
    "InternalError",
    "WebhookVerificationError",
    "sign_webhook",
    "verify_webhook",
    "__version__",
]
