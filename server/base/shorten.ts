/** At most `max` characters, with `…` in place of the rest. Never half of a character such as an emoji. */
export const shorten = (text: string, max: number) => {
  if (text.length <= max) return text;
  // Code points have at most two units, so the rest of a long text need not be split.
  const characters = [...text.slice(0, 2 * max + 1)];
  return characters.length <= max ? text : `${characters.slice(0, max - 1).join('')}…`;
};
