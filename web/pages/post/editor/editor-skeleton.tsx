import { useEffect, useState } from 'react';
import { PageHeader } from '#web/parts/page-header.tsx';
import { SideRail, WithRail } from '#web/parts/side-rail.tsx';
import styles from './editor-skeleton.module.css';

const delayMs = 150;
const lines = ['92%', '98%', '64%'];

/** False at first, so that fast loads do not flicker. */
const useIsVisible = () => {
  const [isVisible, setIsVisible] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setIsVisible(true), delayMs);
    return () => clearTimeout(timer);
  }, []);
  return isVisible;
};

const bar = (width: string, kind: string) => <i key={width} className={kind} style={{ width }} />;

export const PreviewSkeleton = () => (
  <div className={styles.card} data-visible={useIsVisible() || undefined} aria-busy="true">
    <span className="hidden">Loading the preview</span>
    {lines.map((width) => bar(width, styles.small ?? ''))}
  </div>
);

/** The shape of a post: a row of accounts, lines of text, a preview. */
export const EditorSkeleton = ({ title }: { title: string }) => {
  const isVisible = useIsVisible();
  return (
    <>
      <PageHeader title={title} crumb={{ label: 'Posts', link: { to: '/posts' } }} />
      <WithRail
        rail={
          <SideRail label="Checks and preview" width={424}>
            <PreviewSkeleton />
          </SideRail>
        }
      >
        <div className={styles.column} data-visible={isVisible || undefined} aria-busy="true">
          <span className="hidden">Loading the post</span>
          <div className={styles.accounts} aria-hidden="true">
            {bar('24px', styles.badge ?? '')}
            {bar('25px', styles.badge ?? '')}
            {bar('160px', styles.small ?? '')}
          </div>
          <div className={styles.text} aria-hidden="true">
            {lines.map((width) => bar(width, styles.line ?? ''))}
          </div>
        </div>
      </WithRail>
    </>
  );
};
