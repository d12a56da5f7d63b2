import { Captions, CaptionsOff, Play } from 'lucide-react';
import { memo } from 'react';
import type { LibraryItem } from '#generated/app-client';
import { fileName, thumbnailOf } from '#web/parts/media-file.ts';
import { count, formatBytes } from '#web/parts/number.ts';
import { formatLength } from '#web/previews/model.ts';
import styles from './media-card.module.css';

/** Memoized, since further pages append to a long grid. */
export const MediaCard = memo(({ item, onOpen }: { item: LibraryItem; onOpen: (id: string) => void }) => {
  const { id, kind, alt, width, height, bytes, durationMs, usedIn } = item;
  return (
    <li className={styles.card} data-row={id}>
      <button type="button" className={`row-link ${styles.open}`} data-row-link="" onClick={() => onOpen(id)}>
        <span className={styles.picture}>
          <img src={thumbnailOf(id)} alt={alt ?? ''} loading="lazy" decoding="async" />
          {kind === 'Video' && (
            <span className={`caption number ${styles.kind}`}>
              <Play size={11} aria-hidden="true" /> {durationMs === undefined ? 'Video' : formatLength(durationMs)}
            </span>
          )}
        </span>
        <span className={`one-line ${styles.name}`} dir="auto">
          {fileName(item)}
        </span>
      </button>
      <p className="caption text-3 number">
        {kind === 'Document' ? 'PDF' : `${width} × ${height}`} · {formatBytes(bytes)}
      </p>
      {kind !== 'Document' && (
        <p className={`caption ${styles.alt}`} data-missing={!alt || undefined}>
          {alt ? <Captions size={14} aria-hidden="true" /> : <CaptionsOff size={14} aria-hidden="true" />}
          <span className="one-line" dir="auto">
            {alt ?? 'No alt text'}
          </span>
        </p>
      )}
      <p className="caption text-3">{usedIn === 0 ? 'Not used' : `Used in ${count(usedIn, 'post')}`}</p>
    </li>
  );
});
