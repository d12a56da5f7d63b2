export { type ErrorBody, type ErrorCode, errorSchemas } from './contracts/errors.ts';
export { type EventType, events } from './contracts/events.ts';
export { rest } from './generated/rest.ts';
