// Replaced by the types.ts that emit-sdk.ts prints. Lets the compiler check the runtime against the contracts.
import type { z } from 'zod';
import type { EventType, events } from '#contracts/events';

export type { ErrorCode, Issue } from '#contracts/errors';
export type { MediaItem } from '#contracts/media';
export type { Post } from '#contracts/posts';
export type WebhookEvent = z.output<(typeof events)[EventType]['schema']>;
