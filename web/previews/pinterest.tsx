import { ChevronDown } from 'lucide-react';
import { Avatar } from '#web/parts/avatar.tsx';
import { FoldedText } from './folded-text.tsx';
import { Carousel, ratioOf } from './media.tsx';
import { firstOf, hostOf, labelOf, optionOf, type Renderer, titleFoldSentence } from './model.ts';
import styles from './renderers.module.css';

const more = 'more';

export const pinterest: Renderer = {
  more,
  View: ({ post }) => {
    const { body, media } = firstOf(post);
    const board = labelOf(post, 'board');
    const link = optionOf(post, 'link');
    const title = optionOf(post, 'title');
    return (
      <div className={styles.pin}>
        <div className={styles.round}>
          <Carousel
            media={media}
            ratio={ratioOf(media[0], 2 / 3, 1)}
            cover={post.optionFile}
            nothing="An image or video goes here"
          >
            <div className={styles.over}>
              {board && (
                <span className={styles.pill}>
                  <span className="hidden">Board </span>
                  <span dir="auto">{board}</span>
                  <ChevronDown size={14} aria-hidden="true" />
                </span>
              )}
              <span className={styles.pill} data-tone="save" aria-hidden="true">
                Save
              </span>
            </div>
          </Carousel>
        </div>
        <div className={styles.inside}>
          {title && (
            <p className={styles.title} dir="auto">
              {title}
            </p>
          )}
          <FoldedText post={post} text={body} more={more} />
          {link && <p className="small text-3">{hostOf(link)}</p>}
          <div className={styles.channel}>
            <Avatar name={post.account.name} size={28} src={post.account.picture} />
            <b className="one-line" dir="auto">
              {post.account.name}
            </b>
          </div>
        </div>
      </div>
    );
  },
  notes: (post) => [
    titleFoldSentence(post),
    optionOf(post, 'slides') !== '' && 'The images have titles and links of their own.',
  ],
};
