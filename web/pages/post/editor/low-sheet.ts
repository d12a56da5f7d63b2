/** A sheet from below, no higher than what is in it. */
export const lowSheet = { content: { height: 'auto', maxHeight: '90dvh' } } as const;
