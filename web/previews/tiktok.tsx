import { Bookmark, Forward, Heart, MessageCircle, Music2 } from 'lucide-react';
import { Avatar } from '#web/parts/avatar.tsx';
import { FoldedText } from './folded-text.tsx';
import { Carousel } from './media.tsx';
import { firstOf, isOn, optionOf, plainHandle, type Renderer } from './model.ts';
import { Labels } from './parts.tsx';
import styles from './renderers.module.css';

const more = 'more';

export const tiktok: Renderer = {
  more,
  View: ({ post }) => {
    const { body, media } = firstOf(post);
    const isVideo = media.some(({ kind }) => kind === 'Video');
    const title = isVideo ? '' : optionOf(post, 'title');
    return (
      <div className={styles.screen}>
        <Carousel media={media} ratio={9 / 16} nothing="A video or pictures go here">
          <p className={styles.feeds} aria-hidden="true">
            Following <b>For you</b>
          </p>
          <div className={styles.rail} aria-hidden="true">
            <Avatar name={post.account.name} size={36} src={post.account.picture} />
            {[Heart, MessageCircle, Bookmark, Forward].map((Icon, index) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: pictures without an identity
              <Icon key={index} size={24} strokeWidth={1.75} />
            ))}
          </div>
          <div className={styles.bottom}>
            <b dir="auto">{plainHandle(post)}</b>
            {title && (
              <p className={styles.strong} dir="auto">
                {title}
              </p>
            )}
            {body.trim() !== '' && <FoldedText post={post} text={body} more={more} />}
            <Labels
              labels={[
                isOn(post, 'brand_content') && 'Paid partnership',
                isOn(post, 'brand_organic') && 'Promotional content',
                isOn(post, 'ai_generated') && 'Creator labelled as AI-generated',
              ]}
            />
            {isVideo && (
              <p className={styles.sound} aria-hidden="true">
                <Music2 size={12} /> original sound, {plainHandle(post)}
              </p>
            )}
          </div>
        </Carousel>
      </div>
    );
  },
  notes: (post) => [
    optionOf(post, 'mode') === 'draft' && 'Arrives as a draft in the TikTok app; nothing is public yet.',
    'Keep faces and words out of the lower fifth.',
  ],
};
