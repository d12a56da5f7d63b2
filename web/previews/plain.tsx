import { FoldedText } from './folded-text.tsx';
import type { Renderer } from './model.ts';
import { Attachments, Comments, Head, LinkBox, Rounded } from './parts.tsx';
import styles from './renderers.module.css';

/** For a network without a renderer of its own. */
export const plain: Renderer = {
  more: 'more',
  View: ({ post, time }) => (
    <>
      <Head post={post} below={time} />
      {post.items.slice(0, post.limits.thread.form === 'Replies' ? undefined : 1).map((item) => (
        <div key={item.key} className={styles.inside}>
          <FoldedText post={post} text={item.body} more="more" />
          <Rounded item={item} post={post} />
          {item.linkCard && <LinkBox card={item.linkCard} />}
        </div>
      ))}
      <div className={styles.inside}>
        <Attachments post={post} />
      </div>
      <Comments post={post} />
    </>
  ),
};
