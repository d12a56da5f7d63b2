import { Ellipsis, Globe, MessageSquare, Share2, ThumbsUp } from 'lucide-react';
import { FoldedText } from './folded-text.tsx';
import { MediaGrid } from './media.tsx';
import { firstOf, isStory, optionOf, type Renderer } from './model.ts';
import { Actions, Comments, Head, LinkBox } from './parts.tsx';
import styles from './renderers.module.css';
import { Story } from './story.tsx';

const more = 'See more';

export const facebook: Renderer = {
  more,
  View: ({ post, time }) => {
    if (isStory(post)) return <Story post={post} time={time} />;
    const { body, media, linkCard } = firstOf(post);
    const link = optionOf(post, 'link');
    const card = linkCard ?? (link ? { uri: link, title: '', description: '' } : undefined);
    return (
      <>
        <Head
          post={post}
          below={
            <>
              {time === 'now' ? 'Just now' : time} · <Globe size={12} aria-hidden="true" />
              <span className="hidden">Everyone</span>
            </>
          }
        >
          <Ellipsis size={16} aria-hidden="true" />
        </Head>
        <div className={styles.inside}>
          <FoldedText post={post} text={body} more={more} />
        </div>
        <MediaGrid media={media} most={5} cover={post.optionFile} />
        {media.length === 0 && card && <LinkBox card={card} isFlat hasCapitalHost />}
        <Actions icons={[ThumbsUp, MessageSquare, Share2]} words={['Like', 'Comment', 'Share']} />
        <Comments post={post} note="Author" />
      </>
    );
  },
  notes: (post) => [
    optionOf(post, 'link') !== '' &&
      firstOf(post).media.length === 0 &&
      firstOf(post).linkCard === undefined &&
      'Facebook reads title and picture of the link from its page.',
  ],
};
