declare const proof: unique symbol;

/** Proof that a membership was read in the running transaction, before whose end it cannot end: see `rights.ts`. */
export interface Right {
  readonly workspaceId: string;
  readonly userId: string;
  readonly [proof]: 'Member' | 'Publisher';
}

/** Proof that this member may publish without approval. */
export interface RightToPublish extends Right {
  readonly [proof]: 'Publisher';
}
