/** How a try to send a message went. */
export type Outcome =
  | { readonly is: 'sent'; readonly answer: string }
  /** Worth another try. */
  | { readonly is: 'failed'; readonly answer: string }
  /** No try will ever succeed. */
  | { readonly is: 'refused'; readonly answer: string }
  /** Nothing was sent: the process stood still for too long. It is due again when the lease ends. */
  | { readonly is: 'late' };
