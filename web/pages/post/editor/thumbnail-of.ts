/** An option names a file by its id. */
export const isMediaId = (value: string) => /^media_[0-9A-Z]{26}$/.test(value);

export const thumbnailOf = (id: string) => `/media/${id}?size=thumbnail`;
