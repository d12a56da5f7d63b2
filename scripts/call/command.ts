export interface Field {
  /** In the JSON of the API */
  readonly name: string;
  /** On the command line */
  readonly flag: string;
  readonly type: 'text' | 'number' | 'boolean' | 'list' | 'json';
  readonly required: boolean;
  readonly about: string;
  readonly choices?: readonly string[];
}

export interface Command {
  readonly name: string;
  readonly summary: string;
  readonly description: string;
  readonly kind: 'ReadOnly' | 'Write' | 'NeedsApproval';
  readonly retry: 'Always' | 'WithKey' | 'IfRefused';
  readonly fields: readonly Field[];
}

/** The command line is wrong; the message says what to type. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

export type Environment = Readonly<Record<string, string | undefined>>;
