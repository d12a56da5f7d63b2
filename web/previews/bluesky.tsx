import { Ellipsis, Heart, MessageSquare, Repeat2 } from 'lucide-react';
import { handleOf } from '#web/base/networks.ts';
import { labelOf, optionOf, type Renderer } from './model.ts';
import { Attachments, Replies, Rounded, Warning } from './parts.tsx';

export const bluesky: Renderer = {
  more: 'more',
  View: ({ post, time }) => {
    const label = optionOf(post, 'content_label');
    const isWarned = label !== '' && label !== 'none';
    return (
      <Replies
        post={post}
        more="more"
        hasGlobe
        actions={[MessageSquare, Repeat2, Heart, Ellipsis]}
        who={
          <>
            <b dir="auto">{post.account.name}</b>{' '}
            <span className="text-3">
              {handleOf(post.account)} · {time}
            </span>
          </>
        }
        renderMedia={(item) => (
          <>
            {isWarned && item.media.length > 0 && <Warning>{labelOf(post, 'content_label') ?? label}</Warning>}
            <Rounded item={item} post={post} />
          </>
        )}
      >
        <Attachments post={post} />
      </Replies>
    );
  },
  notes: (post) => [post.items.some(({ linkCard }) => linkCard) && 'A link card stands where pictures would.'],
};
