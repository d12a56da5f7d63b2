import { Bookmark, Ellipsis, Heart, MessageCircle, Send } from 'lucide-react';
import { FoldedText, Words } from './folded-text.tsx';
import { Carousel, ratioOf } from './media.tsx';
import { commentsOf, firstOf, isStory, plainHandle, type Renderer } from './model.ts';
import { Actions, Head } from './parts.tsx';
import styles from './renderers.module.css';
import { Story } from './story.tsx';

const more = 'more';

export const instagram: Renderer = {
  more,
  View: ({ post, time }) => {
    if (isStory(post)) return <Story post={post} time={time} />;
    const { body, media } = firstOf(post);
    const lead = <b dir="auto">{plainHandle(post)}</b>;
    return (
      <>
        <Head post={post} name={plainHandle(post)} size={32}>
          <Ellipsis size={16} aria-hidden="true" />
        </Head>
        {/* All files of one post get the frame of the first. */}
        <Carousel
          media={media}
          ratio={ratioOf(media[0], 3 / 4, 1.91)}
          cover={post.optionFile}
          nothing="An image or video goes here"
        />
        <div className={styles.inside}>
          <div className={styles.split}>
            <Actions icons={[Heart, MessageCircle, Send]} />
            <Actions icons={[Bookmark]} />
          </div>
          <FoldedText post={post} text={body} more={more} lead={lead} hasPlainLinks />
          {commentsOf(post).map((comment) => (
            <p key={comment.key} className={styles.comment} dir="auto">
              {lead} <Words text={comment.body} hasPlainLinks />
            </p>
          ))}
          <p className={styles.time}>{time}</p>
        </div>
      </>
    );
  },
  notes: (post) => [/https?:\/\//i.test(firstOf(post).body) && 'Links are plain text.'],
};
