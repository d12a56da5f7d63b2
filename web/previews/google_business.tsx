import { EllipsisVertical } from 'lucide-react';
import { browserZone, formatDateTime } from '#web/base/time.ts';
import { FoldedText } from './folded-text.tsx';
import { Carousel } from './media.tsx';
import { firstOf, isPhotoOfProfile, labelOf, optionOf, type PreviewPost, type Renderer } from './model.ts';
import { Head } from './parts.tsx';
import styles from './renderers.module.css';

const more = 'More';

export const googleBusiness: Renderer = {
  more,
  View: ({ post, time }) => {
    const { body, media } = firstOf(post);
    const isPhoto = isPhotoOfProfile(post);
    const button = isPhoto ? '' : optionOf(post, 'cta_type');
    return (
      <>
        <Head post={post} below={time === 'now' ? 'Posted just now' : time}>
          <EllipsisVertical size={16} aria-hidden="true" />
        </Head>
        {media.length > 0 && <Carousel media={media} ratio={4 / 3} nothing="" />}
        <div className={styles.below}>
          {isPhoto ? (
            <p className="small text-3">Photo of the profile · {labelOf(post, 'photo_category')}</p>
          ) : (
            <Occasion post={post} />
          )}
          <FoldedText post={post} text={body} more={more} />
          {button !== '' && button !== 'NONE' && (
            <p>
              <span className={styles.pill} data-tone="link">
                {labelOf(post, 'cta_type') ?? button}
              </span>
            </p>
          )}
        </div>
      </>
    );
  },
  notes: (post) => [optionOf(post, 'cta_url') !== '' && 'The button carries the link.'],
};

/** Title, days and coupon of an event or offer. */
const Occasion = ({ post }: { post: PreviewPost }) => {
  const type = optionOf(post, 'topic_type');
  if (type === '' || type === 'STANDARD') return null;
  const [start, end] = [optionOf(post, 'event_start'), optionOf(post, 'event_end')];
  const code = optionOf(post, 'offer_code');
  const repeat = optionOf(post, 'repeat');
  const until = optionOf(post, 'repeat_until');
  const days = [start, end]
    .filter((at) => !Number.isNaN(Date.parse(at)))
    .map((at) => formatDateTime(at, browserZone()));
  return (
    <>
      <p className={styles.title} dir="auto">
        {optionOf(post, 'event_title')}
      </p>
      {days.length > 0 && <p className="small text-3">{days.join(' – ')}</p>}
      {repeat !== '' && repeat !== 'NONE' && (
        <p className="small text-3">
          {labelOf(post, 'repeat')}
          {!Number.isNaN(Date.parse(until)) && ` until ${formatDateTime(until, browserZone())}`}
        </p>
      )}
      {code && <p className="small">Code {code}</p>}
    </>
  );
};
