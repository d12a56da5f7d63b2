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
  /** A small picture of it. */
  readonly src: string;
  readonly isVideo: boolean;
  readonly alt: string;
  /** Made for the network: all of it is shown. */
  readonly isFitted?: boolean | undefined;
  /** Of a document. */
  readonly title?: string | undefined;
  /** `src` is a picture that somebody chose for the video; the usual one is a play sign. */
  readonly hasCover?: boolean;
  /** Where it can be played. */
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
  /** Undefined for a network without titles; empty: the first line of the text serves. */
  title: string | undefined;
  /** What options add to the first item. */
  extras?: Extras;
  /** A picture that stands for the video. */
  cover?: string | undefined;
  /** All of a long text and all files, not the beginning that a network shows. */
  whole?: boolean;
}

/** How a network shows a post, in four families; their own looks are theirs. */
type Family = 'text' | 'photo' | 'video' | 'pin';

const familyOf = ({ media }: Constraints, hasTitle: boolean): Family => {
  if (media.min === 0) return 'text';
  if (media.images === undefined || (media.videos !== undefined && hasTitle && media.images.max === 0)) return 'video';
  return hasTitle ? 'pin' : 'photo';
};

/** A longer text makes no difference to what one sees. */
const shownCharacters = 1200;

/** What one account gets. */
export const PostPreview = ({ account, limits, items: written, title, extras = {}, cover, whole = false }: Props) => {
  const items = cover === undefined ? written : written.map((item) => withCover(item, cover));
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

/** A page without a handle has its name there already. */
const who = (account: PreviewAccount) => (handleOf(account) === account.name ? '· ' : `${handleOf(account)} · `);

const link = /(https?:\/\/\S+|(?<![\w@.])(?:[a-z0-9-]+\.)+[a-z]{2,}(?:\/\S*)?|[@#][\p{L}\p{N}_][\p{L}\p{N}_.-]*)/giu;

/** Plain text, whatever is in it. Links, mentions and tags have their colour. */
const Body = ({ text, whole }: { text: string; whole: boolean }) => {
  if (text.trim() === '') return <p className="text-3">Nothing written yet</p>;
  const shown = whole ? text : text.slice(0, shownCharacters);
  return (
    <p className={styles.text} dir="auto">
      {shown.split(link).map((piece, index) =>
        index % 2 === 1 ? (
          // biome-ignore lint/suspicious/noArrayIndexKey: pieces of a text have no other name
          <span key={index} className={styles.link}>
            {piece}
          </span>
        ) : (
          piece
        ),
      )}
      {text.length > shown.length && '…'}
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
    // biome-ignore lint/a11y/useMediaCaption: networks take a video without captions, and so nobody has any
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
