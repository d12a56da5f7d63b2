import { ImageOff, Play } from 'lucide-react';
import type { Account } from '#generated/app-client';
import { handleOf } from '#web/networks.ts';
import { Avatar } from '#web/parts/avatar.tsx';
import { type Item, resultFor } from './draft.ts';
import type { Constraints } from './limits.ts';
import styles from './preview.module.css';
import { thumbnailOf } from './thumbnail-of.ts';
import { useEditor } from './use-editor.ts';

/** How a network shows a post, in four families; their own looks are theirs. */
type Family = 'text' | 'photo' | 'video' | 'pin';

const familyOf = ({ media }: Constraints, hasTitle: boolean): Family => {
  if (media.min === 0) return 'text';
  if (media.images === undefined || (media.videos !== undefined && hasTitle && media.images.max === 0)) return 'video';
  return hasTitle ? 'pin' : 'photo';
};

/** A longer text makes no difference to what one sees. */
const shownCharacters = 1200;

export const Preview = ({ account }: { account: Account }) => {
  const { calm, limitsOf, optionsOf } = useEditor();
  const limits = limitsOf(account);
  if (limits === undefined) return null;
  const { items, options } = resultFor(calm, account.id);
  const titleKey = `${account.network}.title`;
  const hasTitle = optionsOf(account.network).some(({ key }) => key === titleKey);
  const family = familyOf(limits, hasTitle);
  const title = options[titleKey] || (hasTitle ? items[0]?.body.trim().split('\n')[0]?.slice(0, 100) : '');
  const label = `${account.provider}, ${handleOf(account)}`;
  if (family === 'text') {
    return (
      <article className={`card ${styles.thread}`} aria-label={label}>
        {items.map((item) => (
          <div key={item.key} className={styles.entry}>
            <span className={styles.side}>
              <Avatar name={account.name} size={32} {...pictureOf(account)} />
            </span>
            <div className={styles.body}>
              <p className={styles.who}>
                <b dir="auto">{account.name}</b> <span className="text-2">{who(account)}now</span>
              </p>
              <Body text={item.body} />
              <MediaGrid item={item} />
            </div>
          </div>
        ))}
      </article>
    );
  }
  const [first, ...others] = items;
  return (
    <article className={`card ${styles.stack}`} data-family={family} aria-label={label}>
      <p className={styles.owner}>
        <Avatar name={account.name} size={28} {...pictureOf(account)} />
        <b className="one-line" dir="auto">
          {account.handle || account.name}
        </b>
      </p>
      {first && <BigMedia item={first} family={family} />}
      <div className={styles.below}>
        {title && (
          <p className={styles.title} dir="auto">
            {title}
          </p>
        )}
        {first && <Body text={first.body} />}
        {limits.thread.form === 'Comments' &&
          others.map((item) => (
            <div key={item.key} className={styles.comment}>
              <Body text={item.body} />
            </div>
          ))}
      </div>
    </article>
  );
};

/** A page without a handle has its name there already. */
const who = (account: Account) => (handleOf(account) === account.name ? '· ' : `${handleOf(account)} · `);

const pictureOf = ({ avatarUrl }: Account) => {
  if (!avatarUrl) return {};
  // From our own address, whatever the server calls itself.
  const { pathname, search } = new URL(avatarUrl, location.href);
  return { src: pathname + search };
};

const link = /(https?:\/\/\S+|(?<![\w@.])(?:[a-z0-9-]+\.)+[a-z]{2,}(?:\/\S*)?|[@#][\p{L}\p{N}_][\p{L}\p{N}_.-]*)/giu;

/** Plain text, whatever is in it. Links, mentions and tags have their colour. */
const Body = ({ text }: { text: string }) => {
  if (text.trim() === '') return <p className="text-3">Nothing written yet</p>;
  const shown = text.slice(0, shownCharacters);
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

const MediaGrid = ({ item: { media } }: { item: Item }) => {
  if (media.length === 0) return null;
  return (
    <div className={styles.grid} data-count={Math.min(media.length, 4)}>
      {media.slice(0, 4).map((id, index) => (
        <span key={id} className={styles.cell}>
          <Picture id={id} />
          {index === 3 && media.length > 4 && <span className={styles.more}>+{media.length - 4}</span>}
        </span>
      ))}
    </div>
  );
};

const BigMedia = ({ item: { media }, family }: { item: Item; family: Family }) => {
  const [first] = media;
  return (
    <div className={styles.big} data-family={family}>
      {first === undefined ? (
        <span className={styles.none}>
          <ImageOff size={22} aria-hidden="true" />
          {family === 'video' ? 'A video goes here' : 'An image or video goes here'}
        </span>
      ) : (
        <Picture id={first} />
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

const Picture = ({ id }: { id: string }) => {
  const { mediaOf } = useEditor();
  const found = mediaOf(id);
  return (
    <>
      <img src={thumbnailOf(id)} alt={found?.alt ?? ''} loading="lazy" />
      {found?.kind === 'Video' && <Play className={styles.play} size={28} aria-label="Video" />}
    </>
  );
};
