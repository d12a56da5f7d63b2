import type { JsonText } from '#server/base/json/json-text';
import { Refusal } from './errors.ts';

/** What a call comes to when a person has to approve it first. It has changed nothing. */
export class NeedsApproval {
  /** For a caller who cannot ask. */
  readonly refusal: Refusal;

  constructor(what: string, page: string) {
    this.refusal = new Refusal('ApprovalRequired', `${what} needs a human, who can do it at ${page}. Do not retry.`, [
      { path: 'id', code: 'NeedsApproval', message: 'needs a human, who can do it at url', url: page },
    ]);
  }
}

/** What a call comes to that has done what the caller may do, and asks a person for the rest. */
export class DoneWithRequest {
  readonly output: JsonText;
  readonly request: { readonly action: string; readonly input: Record<string, unknown> };
  /** Undoes what was done, if the request is refused. */
  readonly takeBack: () => Promise<unknown>;

  constructor(output: JsonText, request: DoneWithRequest['request'], takeBack: DoneWithRequest['takeBack']) {
    this.output = output;
    this.request = request;
    this.takeBack = takeBack;
  }
}

/** Publishing, and changing what is public or approved, takes a caller who may publish. Nothing else decides this. */
export const needsApproval = (
  { mayPublish }: { readonly mayPublish: boolean },
  what: string,
  page: string,
): NeedsApproval | undefined => (mayPublish ? undefined : new NeedsApproval(what, page));

/** For a caller who can ask nobody, because approval was needed and given before. */
export const mustBeDone = <Result>(result: Result | NeedsApproval): Result => {
  if (result instanceof NeedsApproval) throw result.refusal;
  return result;
};
