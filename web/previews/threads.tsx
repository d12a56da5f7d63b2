import { Ellipsis, Heart, MessageCircle, Repeat2, Send } from 'lucide-react';
import { Sideways } from './media.tsx';
import { firstOf, isOn, labelOf, optionOf, plainHandle, type Renderer } from './model.ts';
import { Attachments, Labels, LinkBox, Replies, Warning } from './parts.tsx';
import styles from './renderers.module.css';

export const threads: Renderer = {
  more: 'more',
  View: ({ post, time }) => {
    const topic = optionOf(post, 'topic_tag');
    const link = optionOf(post, 'link');
    const place = labelOf(post, 'location');
    return (
      <Replies
        post={post}
        more="more"
        corner={Ellipsis}
        actions={[Heart, MessageCircle, Repeat2, Send]}
        areActionsPacked
        who={
          <>
            <b dir="auto">{plainHandle(post)}</b>
            {topic && <b dir="auto"> › {topic}</b>} <span className="text-3">{time}</span>
          </>
        }
        renderMedia={({ media }) => (
          <div className={styles.gap}>
            {media.length > 0 && isOn(post, 'spoiler_media') && <Warning>Spoiler: readers tap to see it</Warning>}
            <Sideways media={media} cover={post.optionFile} />
          </div>
        )}
      >
        <Attachments post={post} />
        <Labels labels={[place && `At ${place}`]} />
        {link && firstOf(post).media.length === 0 && <LinkBox card={{ uri: link, title: '', description: '' }} />}
      </Replies>
    );
  },
  notes: (post) => [
    post.items.some(({ media }) => media.length > 1) && 'Pictures scroll sideways.',
    optionOf(post, 'gif') !== '' && 'The GIF from GIPHY follows the text.',
    isOn(post, 'ghost') && 'Threads archives it after 24 hours.',
    optionOf(post, 'link') !== '' && 'Threads reads the title of the link from its page.',
  ],
};
