import type { LibraryItem } from '#generated/app-client';

/** An option names a file by its id. */
export const isMediaId = (value: string) => /^media_[0-9A-Z]{26}$/.test(value);

export const thumbnailOf = (id: string) => `/media/${id}?size=thumbnail`;

/** As it was uploaded; a file from elsewhere may have no name. */
export const fileName = ({ name, kind, id }: Pick<LibraryItem, 'name' | 'kind' | 'id'>) =>
  name || `${kind} ${id.slice(-6)}`;

/** What stands for it where it cannot be seen. */
export const fileWords = ({ alt, kind }: Pick<LibraryItem, 'alt' | 'kind'>) =>
  alt || (kind === 'Document' ? 'PDF document' : `${kind} without alt text`);
