/** Only a path of our own: `//evil.example` and `/\evil` are addresses elsewhere to a browser. */
export const ownPath = (next: string | undefined) =>
  next !== undefined && /^\/(?![/\\])[^\s\\]*$/.test(next) && next.length < 2000 ? next : '/';
