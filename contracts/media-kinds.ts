export const mediaKinds = ['Image', 'Video', 'Document'] as const;
export type MediaKind = (typeof mediaKinds)[number];
