import type { Constraints } from '#generated/app-client';
import { countGraphemes } from '#server/networks/counting';

export interface PreviewFile {
  readonly key: string;
  readonly kind: 'Image' | 'Video' | 'Document';
  /** Thumbnail of what the account gets. */
  readonly src: string;
  /** Thumbnail of the original: the server deletes fitted files a day after their last use. */
  readonly fallbackSrc?: string | undefined;
  readonly alt: string;
  readonly width?: number | undefined;
  readonly height?: number | undefined;
  readonly durationMs?: number | undefined;
  /** URL of the video itself. */
  readonly playsAt?: string | undefined;
  /** Position of the video frame that an option selects as the cover. */
  readonly coverMs?: number | undefined;
}

export interface PreviewLinkCard {
  readonly uri: string;
  readonly title: string;
  readonly description: string;
  readonly pictureUrl?: string | undefined;
}

export interface PreviewItem {
  readonly key: string;
  readonly body: string;
  readonly media: readonly PreviewFile[];
  readonly linkCard?: PreviewLinkCard | undefined;
}

/** What one account gets, for the renderer of its network. */
export interface PreviewPost {
  readonly network: string;
  readonly account: {
    readonly provider: string;
    readonly name: string;
    readonly handle: string;
    readonly picture?: string | undefined;
  };
  readonly limits: Constraints;
  readonly items: readonly PreviewItem[];
  /** Option values by key, with defaults filled in. */
  readonly options: Readonly<Record<string, string>>;
  /** Labels of the chosen values by option key, such as the name of a board. */
  readonly labels: Readonly<Record<string, string>>;
  /** Thumbnail of the file that an option names: a cover, or the picture of a link. */
  readonly optionFile?: string | undefined;
}

/** How the preview of one network is rendered and described. */
export interface Renderer {
  /** `time`: `now`, or when it goes or went out. */
  readonly View: (props: { post: PreviewPost; time: string }) => React.ReactNode;
  /** Label of the button that opens the rest of a cut text: `Show more`. */
  readonly more: string;
  /** What readers of the caption would not guess from the picture. */
  readonly notes?: (post: PreviewPost) => readonly (string | false)[];
}

/** The value of an option of this network, without its prefix. */
export const optionOf = ({ network, options }: PreviewPost, name: string): string =>
  options[`${network}.${name}`]?.trim() ?? '';

export const isOn = (post: PreviewPost, name: string): boolean => optionOf(post, name) === 'true';

export const labelOf = ({ network, labels }: PreviewPost, name: string): string | undefined =>
  labels[`${network}.${name}`];

export const firstOf = ({ items: [first] }: PreviewPost): PreviewItem => first ?? { key: '', body: '', media: [] };

/**
 * `The title is cut after about 2 lines.` False for a title that is shown whole. A limit in lines is always mentioned,
 * because the number of lines depends on the screen.
 */
export const titleFoldSentence = (post: PreviewPost): string | false => {
  const fold = post.limits.characters.titleFold;
  if (fold === undefined) return false;
  if (fold.unit !== 'Lines' && countGraphemes(optionOf(post, 'title')) <= fold.at) return false;
  const unit = fold.unit === 'Lines' ? 'lines' : 'characters';
  return `The title is cut after ${fold.isObserved ? 'about ' : ''}${fold.at} ${unit}.`;
};

/** In the order in which the server sends them. */
export const commentsOf = (post: PreviewPost): readonly { key: string; body: string }[] => {
  const firstComment = optionOf(post, 'first_comment');
  const { items, limits } = post;
  return [
    ...(firstComment === '' ? [] : [{ key: 'first comment', body: firstComment }]),
    ...(limits.thread.form === 'Comments' ? items.slice(1) : []),
  ];
};

/** A story takes no text, so its limit is 0 characters. */
export const isStory = ({ limits }: PreviewPost): boolean => limits.characters.max === 0;

/** Google adds such a photo to the profile and creates no post. */
export const isPhotoOfProfile = (post: PreviewPost): boolean =>
  post.network === 'google_business' && optionOf(post, 'topic_type') === 'PHOTO';

/** `example.com` */
export const hostOf = (uri: string): string => (URL.canParse(uri) ? new URL(uri).host.replace(/^www\./, '') : uri);

/** The handle without its server: `anna` for `@anna@example.social`. Accounts without a handle show their name. */
export const plainHandle = ({ account: { handle, name } }: PreviewPost): string =>
  handle.replace(/^@/, '').split('@')[0] || name;

/** `0:34` */
export const formatLength = (durationMs: number): string => {
  const seconds = Math.round(durationMs / 1000);
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`;
};
