import type { LibraryItem } from '#generated/app-client';

/** Options of type Media hold a file id. */
export const isMediaId = (value: string) => /^media_[0-9A-Z]{26}$/.test(value);

export const thumbnailOf = (id: string) => `/media/${id}?size=thumbnail`;

/** Files fetched from a URL may have no name. */
export const fileName = ({ name, kind, id }: Pick<LibraryItem, 'name' | 'kind' | 'id'>) =>
  name || `${kind} ${id.slice(-6)}`;

/** Alternative text for the thumbnail. */
export const describeFile = ({ alt, kind }: Pick<LibraryItem, 'alt' | 'kind'>) =>
  alt || (kind === 'Document' ? 'PDF document' : `${kind} without alt text`);
