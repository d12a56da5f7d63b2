import {
  Bookmark,
  Eye,
  File,
  Heart,
  type LucideIcon,
  MessageSquareText,
  MousePointerClick,
  Quote,
  Repeat2,
} from 'lucide-react';
import type { SandboxPost } from '#generated/app-client';
import { Avatar } from '#web/parts/avatar.tsx';
import { NetworkBadge } from '#web/parts/network-badge.tsx';
import { formatNumber } from '#web/parts/number.ts';
import { toRelativeUrl } from '#web/parts/to-relative-url.ts';
import { When } from '#web/parts/when.tsx';
import styles from './sandbox.module.css';

export interface NetworkPost extends SandboxPost {
  network: string;
}

export const FeedPost = ({ post, all }: { post: NetworkPost; all: readonly NetworkPost[] }) => (
  <PostItem post={post} thread={threadBelow(post, all)} />
);

const threadBelow = (post: NetworkPost, all: readonly NetworkPost[]): NetworkPost[] =>
  all
    .filter(({ network, replyTo }) => network === post.network && replyTo === post.id)
    .toSorted((one, other) => one.createdAt.localeCompare(other.createdAt))
    .flatMap((reply) => [reply, ...threadBelow(reply, all)]);

const PostItem = ({ post, thread }: { post: NetworkPost; thread?: readonly NetworkPost[] }) => {
  const isReply = thread === undefined;
  return (
    <li className={isReply ? styles.reply : styles.post}>
      <Avatar name={post.author} size={isReply ? 26 : 36} />
      <div className="grow">
        <p className={styles.head}>
          <strong className="one-line" dir="auto">
            {post.author}
          </strong>
          <span className="text-3">·</span>
          <When at={post.createdAt} form="relative" className="text-3" />
          {!isReply && <NetworkBadge network={post.network} size={18} />}
        </p>
        <p className={styles.text} dir="auto">
          {post.text || <em className="text-3">No text</em>}
        </p>
        <Pictures media={post.media} />
        <Numbers numbers={post.numbers} />
        {thread && thread.length > 0 && (
          <ul aria-label="Replies">
            {thread.map((reply) => (
              <PostItem key={reply.id} post={reply} />
            ))}
          </ul>
        )}
      </div>
    </li>
  );
};

const Pictures = ({ media }: { media: SandboxPost['media'] }) => {
  if (media.length === 0) return null;
  const pictures = media.flatMap(({ thumbnailUrl }) => thumbnailUrl ?? []);
  const others = media.filter(({ thumbnailUrl }) => thumbnailUrl === undefined);
  return (
    <div className={styles.media} data-many={pictures.length > 1 || undefined}>
      {pictures.map((url) => (
        <img key={url} src={toRelativeUrl(url)} alt="Part of the post" loading="lazy" />
      ))}
      {others.map(({ name }, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: two files may have the same name
        <span key={index} className={styles.file} title={name}>
          <File size={13} aria-hidden="true" /> Media {index + 1}
        </span>
      ))}
    </div>
  );
};

const icons: Record<string, [LucideIcon, string]> = {
  views: [Eye, 'views'],
  likes: [Heart, 'likes'],
  comments: [MessageSquareText, 'comments'],
  shares: [Repeat2, 'shares'],
  quotes: [Quote, 'quotes'],
  saves: [Bookmark, 'saves'],
  clicks: [MousePointerClick, 'clicks'],
};

const Numbers = ({ numbers }: { numbers: SandboxPost['numbers'] }) => {
  const visible = Object.entries(icons).flatMap(([name, [Icon, word]]) => {
    const value = numbers[name];
    return value === undefined ? [] : [{ name, Icon, word, value }];
  });
  if (visible.length === 0) return null;
  return (
    <ul className={styles.numbers}>
      {visible.map(({ name, Icon, word, value }) => (
        <li key={name} className="inline" title={word}>
          <Icon size={15} strokeWidth={1.75} aria-hidden="true" />
          <span className="number">{formatNumber(value)}</span>
          <span className="hidden"> {word}</span>
        </li>
      ))}
    </ul>
  );
};
