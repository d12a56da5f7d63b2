import { Bookmark, Heart, MessageCircle, Repeat2 } from 'lucide-react';
import { FoldedText } from './folded-text.tsx';
import { Audience } from './mastodon.tsx';
import { Carousel } from './media.tsx';
import { firstOf, isOn, labelOf, optionOf, type PreviewPost, plainHandle, type Renderer } from './model.ts';
import { Actions, Head, Labels, Warning } from './parts.tsx';
import styles from './renderers.module.css';

export const pixelfed: Renderer = {
  more: 'more',
  View: ({ post, time }) => {
    const { body, media } = firstOf(post);
    const warning = optionOf(post, 'spoiler_text');
    const place = labelOf(post, 'place');
    return (
      <>
        <Head post={post} name={plainHandle(post)} size={32}>
          <Audience post={post} />
        </Head>
        {(warning || isOn(post, 'sensitive')) && (
          <div className={styles.inside}>
            <Warning>{warning || 'Sensitive content'}</Warning>
          </div>
        )}
        <Carousel media={media} ratio={1} nothing="An image or video goes here" />
        <div className={styles.inside}>
          <div className={styles.split}>
            <Actions icons={[Heart, MessageCircle, Repeat2]} />
            <Actions icons={[Bookmark]} />
          </div>
          <FoldedText post={post} text={body} more="more" lead={<b dir="auto">{plainHandle(post)}</b>} />
          <Labels labels={[place && `At ${place}`]} />
          <p className={styles.time}>{time}</p>
        </div>
      </>
    );
  },
  notes: (post) => [
    firstOf(post).media.length > 1 && 'Square frame, one picture at a time.',
    optionOf(post, 'spoiler_text') !== '' && 'Readers see the warning first.',
    optionOf(post, 'collection') !== '' && `Goes into ${collectionOf(post)}.`,
  ],
};

/** Says `a collection` until the name has loaded. */
const collectionOf = (post: PreviewPost) => {
  const name = labelOf(post, 'collection');
  return name ? `the collection ${name}` : 'a collection';
};
