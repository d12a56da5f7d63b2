export const thumbnailOf = (id: string) => `/media/${id}?size=thumbnail`;
