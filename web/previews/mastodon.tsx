import { Bookmark, Ellipsis, Globe, Lock, Mail, Repeat2, Reply, Star } from 'lucide-react';
import { Avatar } from '#web/parts/avatar.tsx';
import { FoldedText } from './folded-text.tsx';
import { isOn, labelOf, optionOf, type PreviewPost, type Renderer } from './model.ts';
import { Actions, Attachments, Head, LinkBox, Rounded, Warning } from './parts.tsx';
import styles from './renderers.module.css';

const audiences = { public: Globe, unlisted: Globe, private: Lock, direct: Mail };

export const Audience = ({ post }: { post: PreviewPost }) => {
  const Icon = audiences[optionOf(post, 'visibility') as keyof typeof audiences] ?? Globe;
  return (
    <>
      <Icon size={13} aria-hidden="true" />
      <span className="hidden">{labelOf(post, 'visibility') ?? 'Everyone'}</span>
    </>
  );
};

export const mastodon: Renderer = {
  more: 'Show more',
  View: ({ post, time }) => {
    const warning = optionOf(post, 'spoiler_text');
    return post.items.map((item, index) => (
      <div key={item.key} className="divided">
        {index === 0 ? (
          <Head post={post} isSquare size={42} below={`@${post.account.handle.replace(/^@/, '')}`}>
            <Audience post={post} /> {time}
          </Head>
        ) : (
          <div className={styles.next}>
            <Avatar name={post.account.name} size={26} src={post.account.picture} />
            <b dir="auto">{post.account.name}</b>
          </div>
        )}
        <div className={styles.inside}>
          {warning && (
            <Warning>
              {warning}
              <span className={styles.reveal} aria-hidden="true">
                Show more
              </span>
            </Warning>
          )}
          <div className={warning ? styles.warned : undefined}>
            <FoldedText post={post} text={item.body} more="Show more" hidesScheme />
            {index === 0 && <Attachments post={post} />}
            {isOn(post, 'sensitive') && !warning && item.media.length > 0 && <Warning>Sensitive content</Warning>}
            <Rounded item={item} post={post} />
            {item.linkCard && <LinkBox card={item.linkCard} />}
          </div>
          <Actions icons={[Reply, Repeat2, Star, Bookmark, Ellipsis]} />
        </div>
      </div>
    ));
  },
  notes: (post) => [
    optionOf(post, 'spoiler_text') !== '' && 'Readers see the warning first; text and media open with “Show more”.',
  ],
};
