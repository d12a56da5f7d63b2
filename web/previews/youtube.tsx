import { Avatar } from '#web/parts/avatar.tsx';
import { FoldedText } from './folded-text.tsx';
import { Carousel } from './media.tsx';
import { firstOf, isOn, labelOf, optionOf, type Renderer, titleFoldSentence } from './model.ts';
import { Comments } from './parts.tsx';
import styles from './renderers.module.css';

const more = '…more';

export const youtube: Renderer = {
  more,
  View: ({ post, time }) => {
    const { body, media } = firstOf(post);
    const privacy = optionOf(post, 'privacy');
    return (
      <>
        <Carousel media={media} ratio={16 / 9} cover={post.optionFile} nothing="A video goes here" />
        <div className={styles.inside}>
          <p
            className={styles.title}
            data-lines=""
            style={{ '--lines': post.limits.characters.titleFold?.at } as React.CSSProperties}
            dir="auto"
          >
            {optionOf(post, 'title') || <span className="text-3">No title yet</span>}
          </p>
          <div className={styles.channel}>
            <Avatar name={post.account.name} size={34} src={post.account.picture} />
            <b className="one-line" dir="auto">
              {post.account.name}
            </b>
            <span className={styles.pill} data-tone="ink" aria-hidden="true">
              Subscribe
            </span>
          </div>
          <div className={styles.description}>
            <p className={styles.strong}>
              {time}
              {privacy !== '' && privacy !== 'public' && ` · ${labelOf(post, 'privacy') ?? privacy}`}
              {isOn(post, 'made_for_kids') && ' · Made for kids'}
            </p>
            <FoldedText post={post} text={body} more={more} />
          </div>
        </div>
        <Comments post={post} />
      </>
    );
  },
  notes: (post) => [
    titleFoldSentence(post),
    optionOf(post, 'captions') !== '' &&
      `Viewers can switch on captions (${optionOf(post, 'language') || 'no language yet'}).`,
  ],
};
