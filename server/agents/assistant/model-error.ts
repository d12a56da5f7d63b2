import { APICallError, InvalidToolInputError, NoSuchToolError, RetryError } from 'ai';
import type { OutsideModel } from '#server/base/config/config';

/** `text` is for the person; `reason` is for the log and holds nothing of the chat. */
export const describeModelError = (
  error: unknown,
  model: OutsideModel | undefined,
): { text: string; reason: string } => {
  const cause = RetryError.isInstance(error) ? error.lastError : error;
  const status = APICallError.isInstance(cause) ? cause.statusCode : undefined;
  const reason = `${(cause as Error | undefined)?.name ?? 'Error'} ${status ?? ''}`.trim();
  return { text: describeStatus(status, model), reason };
};

const describeStatus = (status: number | undefined, model: OutsideModel | undefined) => {
  const key = model?.api === 'Anthropic' ? 'ANTHROPIC_API_KEY' : 'LLM_API_KEY';
  if (model === undefined) return 'The assistant failed. Try again.';
  if (status === 401 || status === 403) {
    return `The assistant's model refused its key. Ask whoever runs this server to check ${key}.`;
  }
  if (status === 404) return "The assistant's model was not found. Ask whoever runs this server to check LLM_MODEL.";
  if (status === 429)
    return "The assistant's model is overloaded, or its quota is used up. Wait a moment, then try again.";
  if (status === 400 || status === 413 || status === 422) {
    return "The assistant's model refused the question. Start a new chat, or ask whoever runs this server to check LLM_MODEL.";
  }
  return "The assistant's model did not answer. Try again, or ask whoever runs this server to check LLM_BASE_URL.";
};

/** The model called an unknown action or sent unreadable input. It reads this text and may correct itself. */
export const describeToolError = (error: unknown): string | undefined => {
  if (NoSuchToolError.isInstance(error)) return 'There is no such action.';
  if (InvalidToolInputError.isInstance(error)) return 'The input of this action was not readable.';
  // For both errors the SDK also passes the text that it sends to the model.
  return typeof error === 'string' ? 'Nothing was done.' : undefined;
};
