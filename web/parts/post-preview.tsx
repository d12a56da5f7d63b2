import { ImageOff, Play } from 'lucide-react';
import type { Constraints, LinkCard } from '#generated/app-client';
import { handleOf } from '#web/networks.ts';
import { Avatar } from './avatar.tsx';
import type { Extras } from './extras.ts';
import { ExtrasView } from './extras-view.tsx';
import { LinkCardView } from './link-card.tsx';
import styles from './post-preview.module.css';

interface PreviewFile {
  readonly key: string;
  /** Thumbnail. */
  readonly src: string;
  readonly isVideo: boolean;
  readonly alt: string;
  /** Already fitted for the network, so never cropped. */
  readonly isFitted?: boolean | undefined;
  /** Title of a document. */
  readonly title?: string | undefined;
  /** `src` is a chosen cover; the default thumbnail is a play icon. */
  readonly hasCover?: boolean;
  /** URL of the video itself. */
  readonly playsAt?: string | undefined;
}

interface PreviewItem {
  readonly key: string;
  readonly body: string;
  readonly media: readonly PreviewFile[];
  readonly linkCard?: LinkCard | undefined;
}

interface PreviewAccount {
  readonly provider: string;
  readonly name: string;
  readonly handle: string;
  readonly picture?: string | undefined;
}

interface Props {
  account: PreviewAccount;
  limits: Constraints;
  items: readonly PreviewItem[];
  /** Undefined if the network has no titles. Empty uses the first line of the text. */
  title: string | undefined;
  extras?: Extras;
  /** Cover of the video. */
  cover?: string | undefined;
  /** Shows the whole text and all files. */
  whole?: boolean;
}

/** Layouts that approximate those of the networks. */
type Family = 'text' | 'photo' | 'video' | 'pin';

const familyOf = ({ media }: Constraints, hasTitle: boolean): Family => {
  if (media.min === 0) return 'text';
  if (media.images === undefined || (media.videos !== undefined && hasTitle && media.images.max === 0)) return 'video';
  return hasTitle ? 'pin' : 'photo';
};

/** Enough for what fits into a preview. */
const maxCharacters = 1200;

export const PostPreview = ({
  account,
  limits,
  items: originalItems,
  title,
  extras = {},
  cover,
  whole = false,
}: Props) => {
  const items = cover === undefined ? originalItems : originalItems.map((item) => withCover(item, cover));
  const family = familyOf(limits, title !== undefined);
  const label = `${account.provider}, ${handleOf(account)}`;
  if (family === 'text') {
    return (
      <article className={`card ${styles.thread}`} aria-label={label}>
        {items.map((item, index) => (
          <div key={item.key} className={styles.entry}>
            <span className={styles.side}>
              <Avatar name={account.name} size={32} src={account.picture} />
            </span>
            <div className={styles.body}>
              <p className={styles.who}>
                <b dir="auto">{account.name}</b> <span className="text-2">{who(account)}now</span>
              </p>
              <Body text={item.body} whole={whole} />
              <MediaGrid media={item.media} whole={whole} />
              {item.linkCard && <LinkCardView card={item.linkCard} />}
              {index === 0 && <ExtrasView {...extras} />}
            </div>
          </div>
        ))}
      </article>
    );
  }
  const [first, ...others] = items;
  const shownTitle = title === '' ? first?.body.trim().split('\n')[0]?.slice(0, 100) : title;
  return (
    <article className={`card ${styles.stack}`} data-family={family} aria-label={label}>
      <p className={styles.owner}>
        <Avatar name={account.name} size={28} src={account.picture} />
        <b className="one-line" dir="auto">
          {account.handle || account.name}
        </b>
      </p>
      {first && <BigMedia media={first.media} family={family} />}
      {first && whole && <Rest media={first.media.slice(1)} />}
      <div className={styles.below}>
        {shownTitle && (
          <p className={styles.title} dir="auto">
            {shownTitle}
          </p>
        )}
        {first && <Body text={first.body} whole={whole} />}
        <ExtrasView {...extras} />
        {limits.thread.form === 'Comments' &&
          others.map((item) => <Comment key={item.key} text={item.body} whole={whole} />)}
      </div>
    </article>
  );
};

const Comment = ({ text, whole }: { text: string; whole: boolean }) => (
  <div className={styles.comment}>
    <Body text={text} whole={whole} />
  </div>
);

const withCover = (item: PreviewItem, src: string): PreviewItem => ({
  ...item,
  media: item.media.map((file) => (file.isVideo ? { ...file, src, hasCover: true } : file)),
});

/** Accounts without a handle already show their name. */
const who = (account: PreviewAccount) => (handleOf(account) === account.name ? '· ' : `${handleOf(account)} · `);

const link = /(https?:\/\/\S+|(?<![\w@.])(?:[a-z0-9-]+\.)+[a-z]{2,}(?:\/\S*)?|[@#][\p{L}\p{N}_][\p{L}\p{N}_.-]*)/giu;

/** Highlights links, mentions and tags; no markup is interpreted. */
const Body = ({ text, whole }: { text: string; whole: boolean }) => {
  if (text.trim() === '') return <p className="text-3">Nothing written yet</p>;
  const visible = whole ? text : text.slice(0, maxCharacters);
  return (
    <p className={styles.text} dir="auto">
      {visible.split(link).map((piece, index) =>
        index % 2 === 1 ? (
          // biome-ignore lint/suspicious/noArrayIndexKey: pieces have no id and never reorder
          <span key={index} className={styles.link}>
            {piece}
          </span>
        ) : (
          piece
        ),
      )}
      {text.length > visible.length && '…'}
    </p>
  );
};

const MediaGrid = ({ media, whole }: { media: readonly PreviewFile[]; whole: boolean }) => {
  if (media.length === 0) return null;
  return (
    <>
      <div className={styles.grid} data-count={Math.min(media.length, 4)}>
        {media.slice(0, 4).map((file, index) => (
          <span key={file.key} className={styles.cell}>
            <Picture file={file} />
            {!whole && index === 3 && media.length > 4 && <span className={styles.more}>+{media.length - 4}</span>}
          </span>
        ))}
      </div>
      {whole && <Rest media={media.slice(4)} />}
    </>
  );
};

const BigMedia = ({ media, family }: { media: readonly PreviewFile[]; family: Family }) => {
  const [first] = media;
  return (
    <div className={styles.big} data-family={family}>
      {first === undefined ? (
        <span className={styles.none}>
          <ImageOff size={22} aria-hidden="true" />
          {family === 'video' ? 'A video goes here' : 'An image or video goes here'}
        </span>
      ) : (
        <Picture file={first} />
      )}
      {media.length > 1 && (
        <span className={styles.pages}>
          1/{media.length}
          <span className="hidden"> files</span>
        </span>
      )}
    </div>
  );
};

const Rest = ({ media }: { media: readonly PreviewFile[] }) =>
  media.length === 0 ? null : (
    <div className={styles.rest}>
      {media.map((file) => (
        <span key={file.key} className={styles.cell}>
          <Picture file={file} />
        </span>
      ))}
    </div>
  );

const Picture = ({ file: { src, alt, isVideo, isFitted, title, playsAt, hasCover } }: { file: PreviewFile }) => {
  if (isVideo && playsAt !== undefined) {
    // biome-ignore lint/a11y/useMediaCaption: uploaded videos have no captions
    return <video src={playsAt} poster={src} controls preload="none" aria-label={alt || 'Video'} />;
  }
  return (
    <>
      <img src={src} alt={alt || (isVideo ? 'Video' : '')} loading="lazy" data-fitted={isFitted || undefined} />
      {title && (
        <span className={styles.document} dir="auto">
          {title}
        </span>
      )}
      {isVideo && hasCover && <Play className={styles.play} size={28} aria-hidden="true" />}
    </>
  );
};
