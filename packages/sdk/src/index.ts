export type { ApiPromise, WithResponse } from './api-promise.ts';
export * from './generated/client.ts';
export {
  ApprovalRequiredError,
  BadInputError,
  ConflictError,
  ForbiddenError,
  InternalError,
  InvalidError,
  NotFoundError,
  PlanLimitError,
  TooManyRequestsError,
  UnauthorizedError,
  UnknownActionError,
} from './generated/errors.ts';
export type * from './generated/types.ts';
export type { CallOptions, PosthornOptions, ReceivedAnswer, SentRequest } from './http.ts';
export type { UploadFromUrlOptions, UploadOptions } from './media.ts';
export {
  ApiError,
  ConnectionError,
  isApiError,
  isPosthornError,
  PosthornError,
  TimeoutError,
} from './posthorn-error.ts';
export type { Progress } from './progress.ts';
export { NotPublishedYetError, type WaitOptions } from './waiting.ts';
export {
  type SignWebhookOptions,
  signWebhook,
  type VerifyWebhookOptions,
  verifyWebhook,
  type WebhookHeaders,
  type WebhookRefusal,
  WebhookVerificationError,
} from './webhooks.ts';
export type { WhoAmI } from './who-am-i.ts';
