import { Globe, type LucideIcon } from 'lucide-react';
import { readPoll } from '#server/networks/poll';
import { Avatar } from '#web/parts/avatar.tsx';
import { ExtrasView } from '#web/parts/extras-view.tsx';
import { FoldedText, Words } from './folded-text.tsx';
import { MediaGrid } from './media.tsx';
import { commentsOf, hostOf, optionOf, type PreviewItem, type PreviewLinkCard, type PreviewPost } from './model.ts';
import styles from './parts.module.css';

/** Icons that imitate the network's buttons but do nothing. */
export const Actions = ({
  icons,
  words,
  isPacked = false,
}: {
  icons: readonly LucideIcon[];
  words?: readonly string[];
  /** Packs the icons at the start of the row instead of spreading them over its width. */
  isPacked?: boolean;
}) => (
  <div
    className={styles.actions}
    data-words={words !== undefined || undefined}
    data-packed={isPacked || undefined}
    aria-hidden="true"
  >
    {icons.map((Icon, index) => (
      // biome-ignore lint/suspicious/noArrayIndexKey: pictures without an identity
      <span key={index}>
        <Icon size={17} strokeWidth={1.75} />
        {words?.[index]}
      </span>
    ))}
  </div>
);

/** Avatar, name and what stands below it. */
export const Head = ({
  post: { account },
  below,
  name = account.name,
  isSquare = false,
  size = 40,
  children,
}: {
  post: PreviewPost;
  below?: React.ReactNode;
  name?: string;
  isSquare?: boolean;
  size?: number;
  /** At the end of the first line. */
  children?: React.ReactNode;
}) => (
  <div className={styles.head}>
    <span className={styles.avatar} data-square={isSquare || undefined}>
      <Avatar name={account.name} size={size} src={account.picture} />
    </span>
    <span className={styles.names}>
      <b className="one-line" dir="auto">
        {name}
      </b>
      {children && <span className={styles.end}>{children}</span>}
      {below && <span className={styles.below}>{below}</span>}
    </span>
  </div>
);

/** Stacks the items of a post or thread, each with the avatar beside it. */
export const Replies = ({
  post,
  who,
  corner: Corner,
  more,
  actions,
  areActionsPacked = false,
  hasGlobe = false,
  renderMedia = (item) => <Rounded item={item} post={post} />,
  children,
}: {
  post: PreviewPost;
  who: React.ReactNode;
  /** At the end of the first line. */
  corner?: LucideIcon;
  more: string;
  actions: readonly LucideIcon[];
  areActionsPacked?: boolean;
  /** Before the host of a link card. */
  hasGlobe?: boolean;
  renderMedia?: (item: PreviewItem) => React.ReactNode;
  /** Below the text of the first item. */
  children?: React.ReactNode;
}) => (
  <div className={styles.replies}>
    {post.items.map((item, index) => (
      <div key={item.key} className={styles.reply}>
        <span className={styles.side}>
          <Avatar name={post.account.name} size={40} src={post.account.picture} />
        </span>
        <div className="grow">
          <div className={styles.top}>
            <p className={styles.who}>{who}</p>
            {Corner && <Corner size={16} aria-hidden="true" />}
          </div>
          <FoldedText post={post} text={item.body} more={more} hidesScheme />
          {renderMedia(item)}
          {item.linkCard && <LinkBox card={item.linkCard} hasGlobe={hasGlobe} />}
          {index === 0 && children}
          <Actions icons={actions} isPacked={areActionsPacked} />
        </div>
      </div>
    ))}
  </div>
);

export const Rounded = ({ item, post }: { item: PreviewItem; post: PreviewPost }) =>
  item.media.length === 0 ? null : (
    <div className={styles.rounded}>
      <MediaGrid media={item.media} cover={post.optionFile} />
    </div>
  );

export const LinkBox = ({
  card,
  isFlat = false,
  hasGlobe = false,
  hasCapitalHost = false,
}: {
  card: PreviewLinkCard;
  /** From edge to edge, without a frame. */
  isFlat?: boolean;
  hasGlobe?: boolean;
  hasCapitalHost?: boolean;
}) => (
  <figure className={styles.link} data-flat={isFlat || undefined} aria-label="Link card">
    {card.pictureUrl && <img src={card.pictureUrl} alt="" loading="lazy" />}
    <span>
      <small data-capital={hasCapitalHost || undefined}>
        {hasGlobe && <Globe size={11} aria-hidden="true" />}
        {hostOf(card.uri)}
      </small>
      {card.title !== '' && <b dir="auto">{card.title}</b>}
      {card.description !== '' && (
        <span className="small clamp text-2" dir="auto">
          {card.description}
        </span>
      )}
    </span>
  </figure>
);

/** Poll, quoted post and long text. */
export const Attachments = ({ post }: { post: PreviewPost }) => {
  const poll = readPoll(optionOf(post, 'poll'));
  const quote = optionOf(post, 'quote');
  const longText = optionOf(post, 'text_attachment');
  return <ExtrasView {...(poll && { poll })} {...(quote && { quote })} {...(longText && { longText })} />;
};

/** Bubbles below the post. */
export const Comments = ({
  post,
  note,
}: {
  post: PreviewPost;
  /** Beside the name: `Author`. */
  note?: string;
}) => {
  const comments = commentsOf(post);
  return comments.length === 0 ? null : (
    <ul className={styles.comments} aria-label="Comments">
      {comments.map(({ key, body }) => (
        <li key={key}>
          <Avatar name={post.account.name} size={26} src={post.account.picture} />
          <span className={styles.bubble}>
            <span>
              <b dir="auto">{post.account.name}</b> {note && <span className={styles.note}>{note}</span>}
            </span>
            <span className="as-typed" dir="auto">
              <Words text={body} />
            </span>
          </span>
        </li>
      ))}
    </ul>
  );
};

/** The content warning that readers see before marked text or media. */
export const Warning = ({ children }: { children: React.ReactNode }) => (
  <p className={styles.warning} dir="auto">
    {children}
  </p>
);

/** Small words above the text: `Paid partnership`. */
export const Labels = ({ labels }: { labels: readonly (string | false | undefined)[] }) => {
  const shown = labels.filter((label) => label !== false && label !== undefined);
  return shown.length === 0 ? null : <p className={styles.labels}>{shown.join(' · ')}</p>;
};
