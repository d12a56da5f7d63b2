import { handleOf } from '#web/base/networks.ts';
import { bluesky } from './bluesky.tsx';
import { captionOf } from './caption.ts';
import { facebook } from './facebook.tsx';
import { googleBusiness } from './google_business.tsx';
import { instagram } from './instagram.tsx';
import { linkedin } from './linkedin.tsx';
import { linkedinPage } from './linkedin_page.tsx';
import { mastodon } from './mastodon.tsx';
import type { PreviewPost, Renderer } from './model.ts';
import { pinterest } from './pinterest.tsx';
import { pixelfed } from './pixelfed.tsx';
import { plain } from './plain.tsx';
import styles from './preview.module.css';
import { threads } from './threads.tsx';
import { tiktok } from './tiktok.tsx';
import { x } from './x.tsx';
import { youtube } from './youtube.tsx';

const renderers: Readonly<Record<string, Renderer>> = {
  bluesky,
  facebook,
  google_business: googleBusiness,
  instagram,
  linkedin,
  linkedin_page: linkedinPage,
  mastodon,
  pinterest,
  pixelfed,
  threads,
  tiktok,
  x,
  youtube,
};

/** A post as readers of its network see it. `time`: when it goes or went out. */
export const Preview = ({ post, time = 'now' }: { post: PreviewPost; time?: string }) => {
  const renderer = renderers[post.network] ?? plain;
  const { provider } = post.account;
  const caption = captionOf(post, renderer);
  return (
    <div className={styles.preview} data-preview={post.network}>
      <article className={`card ${styles.post}`} aria-label={`${provider}, ${handleOf(post.account)}`}>
        <renderer.View post={post} time={time} />
      </article>
      {caption !== '' && <p className={styles.caption}>{caption}</p>}
    </div>
  );
};
