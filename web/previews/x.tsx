import { Bookmark, ChartNoAxesColumn, Ellipsis, Heart, MessageCircle, Repeat2, Share } from 'lucide-react';
import { handleOf } from '#web/base/networks.ts';
import { isOn, labelOf, optionOf, type PreviewPost, type Renderer } from './model.ts';
import { Attachments, Labels, Replies } from './parts.tsx';

const more = 'Show more';

export const x: Renderer = {
  more,
  View: ({ post, time }) => (
    <Replies
      post={post}
      more={more}
      corner={Ellipsis}
      actions={[MessageCircle, Repeat2, Heart, ChartNoAxesColumn, Bookmark, Share]}
      who={
        <>
          <b dir="auto">{post.account.name}</b>{' '}
          <span className="text-3">
            {handleOf(post.account)} · {time}
          </span>
        </>
      }
    >
      <Attachments post={post} />
      <Labels
        labels={[
          optionOf(post, 'community') !== '' && `In ${communityOf(post)}`,
          isOn(post, 'paid_partnership') && 'Paid partnership',
          isOn(post, 'made_with_ai') && 'Made with AI',
        ]}
      />
    </Replies>
  ),
  notes: (post) => [
    optionOf(post, 'captions') !== '' &&
      `Viewers can switch on captions (${optionOf(post, 'captions_language') || 'no language yet'}).`,
  ],
};

/** Says `a community` until the name has loaded. */
const communityOf = (post: PreviewPost) => {
  const name = labelOf(post, 'community');
  return name ? `the community ${name}` : 'a community';
};
