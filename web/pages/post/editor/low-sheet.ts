/** Drawer styles: only as high as the content. */
export const lowSheet = { content: { height: 'auto', maxHeight: '90dvh' } } as const;
