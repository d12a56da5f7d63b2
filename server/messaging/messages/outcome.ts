/** The result of one attempt to send a message. */
export type Outcome =
  | { readonly is: 'sent'; readonly answer: string }
  /** Worth a retry. */
  | { readonly is: 'failed'; readonly answer: string }
  /** A retry cannot succeed. */
  | { readonly is: 'refused'; readonly answer: string }
  /** The process was suspended for too long to send safely, so it sent nothing. The message is due again when its lease ends. */
  | { readonly is: 'late' };
