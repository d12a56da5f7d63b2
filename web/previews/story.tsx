import { Carousel } from './media.tsx';
import { firstOf, type PreviewPost, plainHandle } from './model.ts';
import { Head } from './parts.tsx';
import styles from './renderers.module.css';

/** A full-screen picture or video without text. */
export const Story = ({ post, time }: { post: PreviewPost; time: string }) => (
  <div className={styles.screen}>
    <Carousel media={firstOf(post).media} ratio={9 / 16} cover={post.optionFile} nothing="An image or video goes here">
      <div className={styles.top}>
        <Head post={post} name={plainHandle(post)} size={32} below={time} />
      </div>
    </Carousel>
  </div>
);
