export type { ApiPromise, WithResponse } from './api-promise.ts';
export * from '#packages/sdk/src/generated/client';
export { BadInputError, InvalidError, UnauthorizedError, PlanLimitError, ApprovalRequiredError, ForbiddenError, NotFoundError, UnknownActionError, ConflictError, TooManyRequestsError, InternalError } from '#packages/sdk/src/generated/errors';
export type { CallOptions, PosthornOptions, ReceivedAnswer, SentRequest } from './http.ts';
export type { UploadFromUrlOptions, UploadOptions } from './media.ts';
export { NotPublishedYetError, type WaitOptions } from './waiting.ts';
export type { Progress } from './progress.ts';
export type { WhoAmI } from './who-am-i.ts';
export { ApiError, ConnectionError, isApiError, isPosthornError, PosthornError, TimeoutError } from './posthorn-error.ts';
export type * from '#packages/sdk/src/generated/types';
export {
  type SignWebhookOptions,
  signWebhook,
  type VerifyWebhookOptions,
  verifyWebhook,
  type WebhookHeaders,
  type WebhookRefusal,
  WebhookVerificationError,
} from './webhooks.ts';
