import type { z } from 'zod';
import type { Action } from '#contracts/define';
import type { Role } from '#contracts/scopes';

/** Who asks, and where: decided by the door, trusted by everything behind it. */
export interface Caller {
  readonly userId: string;
  readonly workspaceId: string;
  readonly role: Role;
  /** A person in the app, whose own click is the approval. Never true for a token, an agent or the assistant. */
  readonly human: boolean;
}

export interface Call<A extends Action> {
  readonly input: z.output<A['input']>;
  readonly caller: Caller;
}

/** What a file in `actions/` builds: the action, with defaults applied to its input. */
export type Handler<A extends Action> = (call: Call<A>) => Promise<z.output<A['output']>>;
