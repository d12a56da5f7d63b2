/** Prevents open redirects: browsers treat `//evil.example` and `/\evil` as other hosts. */
export const ownPath = (next: string | undefined) =>
  next !== undefined && /^\/(?![/\\])[^\s\\]*$/.test(next) && next.length < 2000 ? next : '/';
