import { ChevronLeft, ChevronRight, ImageOff, Play } from 'lucide-react';
import { useState } from 'react';
import { count } from '#web/parts/number.ts';
import { VideoFrame } from '#web/parts/video-frame.tsx';
import styles from './media.module.css';
import { formatLength, type PreviewFile } from './model.ts';

/** Fills its frame, as networks crop what does not fit theirs. A video shows its cover, chosen frame or first frame. */
export const Picture = ({ file, cover }: { file: PreviewFile; cover?: string | undefined }) => {
  const { kind, src, fallbackSrc, playsAt, durationMs, coverMs } = file;
  const [isGone, setIsGone] = useState(false);
  const [isPlaying, setIsPlaying] = useState(false);
  const [isUnplayable, setIsUnplayable] = useState(false);
  const alt = file.alt || (kind === 'Document' ? 'PDF document' : `${kind} without alt text`);
  const image = isGone ? fallbackSrc : src;
  if (isPlaying && playsAt !== undefined) {
    // biome-ignore lint/a11y/useMediaCaption: uploaded videos have no captions
    return <video className={styles.file} src={playsAt} controls autoPlay aria-label={alt} />;
  }
  const hasFrame = cover === undefined && coverMs !== undefined && !isUnplayable;
  return (
    <>
      {hasFrame && playsAt !== undefined ? (
        <VideoFrame
          className={styles.file}
          src={playsAt}
          poster={image ?? src}
          atMs={coverMs}
          label={alt}
          onUnplayable={() => setIsUnplayable(true)}
        />
      ) : (
        <img
          className={styles.file}
          src={kind === 'Video' ? (cover ?? image) : image}
          alt={alt}
          loading="lazy"
          data-fitted={(fallbackSrc !== undefined && !isGone) || undefined}
          onError={() => fallbackSrc && setIsGone(true)}
        />
      )}
      {kind === 'Video' && playsAt !== undefined && (
        <button type="button" className={styles.play} aria-label="Play the video" onClick={() => setIsPlaying(true)}>
          <Play size={18} fill="currentcolor" aria-hidden="true" />
        </button>
      )}
      {kind === 'Video' && durationMs !== undefined && (
        <span className={styles.length}>
          <span className="hidden">Length </span>
          {formatLength(durationMs)}
        </span>
      )}
    </>
  );
};

/** Width divided by height, within what the network shows. */
export const ratioOf = (file: PreviewFile | undefined, least: number, greatest: number): number => {
  const { width = 0, height = 0 } = file ?? {};
  return width > 0 && height > 0 ? Math.min(Math.max(width / height, least), greatest) : least;
};

/**
 * Up to `most` files side by side. A button such as `+2` opens the rest, which the network hides behind that number.
 */
export const MediaGrid = ({
  media,
  most = 4,
  cover,
}: {
  media: readonly PreviewFile[];
  most?: number;
  cover?: string | undefined;
}) => {
  const [isOpen, setIsOpen] = useState(false);
  const [only] = media;
  if (only === undefined) return null;
  const hidden = media.length - most;
  const style = { '--ratio': media.length === 1 ? ratioOf(only, 4 / 5, 1.91) : 1.6 } as React.CSSProperties;
  return (
    <>
      <div className={styles.grid} data-count={Math.min(media.length, most)} style={style}>
        {media.slice(0, most).map((file, index) => (
          <span key={file.key} className={styles.cell}>
            <Picture file={file} cover={cover} />
            {hidden > 0 && index === most - 1 && (
              <button
                type="button"
                className={styles.hidden}
                aria-expanded={isOpen}
                aria-label={`${count(hidden, 'more file')}`}
                onClick={() => setIsOpen(!isOpen)}
              >
                +{hidden}
              </button>
            )}
          </span>
        ))}
      </div>
      {isOpen && (
        <div className={styles.strip}>
          {media.slice(most).map((file) => (
            <span key={file.key} className={styles.cell}>
              <Picture file={file} cover={cover} />
            </span>
          ))}
        </div>
      )}
    </>
  );
};

/** One picture at a time: `1/3`, dots, arrows. The arrow keys work on its buttons. */
export const Carousel = ({
  media,
  ratio,
  cover,
  nothing,
  children,
}: {
  media: readonly PreviewFile[];
  /** Width divided by height. */
  ratio: number;
  cover?: string | undefined;
  /** Placeholder text where the first file will be. */
  nothing: string;
  /** On top of the picture. */
  children?: React.ReactNode;
}) => {
  const [picked, setPicked] = useState(0);
  const at = Math.min(picked, Math.max(media.length - 1, 0));
  const file = media[at];
  const go = (to: number) => setPicked(Math.min(Math.max(to, 0), media.length - 1));
  const press = (event: React.KeyboardEvent) => {
    const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (step === undefined || media.length < 2) return;
    event.preventDefault();
    go(at + step);
  };
  const style = { '--ratio': ratio } as React.CSSProperties;
  if (file === undefined) {
    return (
      <div className={styles.frame} style={style}>
        <span className={styles.none}>
          <ImageOff size={22} aria-hidden="true" />
          {nothing}
        </span>
        {children}
      </div>
    );
  }
  if (media.length === 1) {
    return (
      <div className={styles.frame} style={style}>
        <Picture file={file} cover={cover} />
        {children}
      </div>
    );
  }
  return (
    <>
      {/* biome-ignore lint/a11y/useSemanticElements: a fieldset is a form control */}
      <div
        className={styles.frame}
        style={style}
        role="group"
        aria-label={`Files, ${at + 1} of ${media.length}`}
        onKeyDown={press}
      >
        <Picture key={file.key} file={file} cover={cover} />
        <span className={styles.pages} aria-hidden="true">
          {at + 1}/{media.length}
        </span>
        <button
          type="button"
          className={styles.arrow}
          data-side="left"
          aria-label="Previous file"
          aria-disabled={at === 0}
          onClick={() => go(at - 1)}
        >
          <ChevronLeft size={16} aria-hidden="true" />
        </button>
        <button
          type="button"
          className={styles.arrow}
          data-side="right"
          aria-label="Next file"
          aria-disabled={at === media.length - 1}
          onClick={() => go(at + 1)}
        >
          <ChevronRight size={16} aria-hidden="true" />
        </button>
        {children}
      </div>
      <span className={styles.dots} aria-hidden="true">
        {media.map(({ key }, index) => (
          <i key={key} data-on={index === at || undefined} />
        ))}
      </span>
    </>
  );
};

/** Pictures in their own ratio, which scroll sideways. */
export const Sideways = ({ media, cover }: { media: readonly PreviewFile[]; cover?: string | undefined }) =>
  media.length === 0 ? null : (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a scroller must be reachable by keyboard
    <figure className={styles.sideways} aria-label={count(media.length, 'file')} tabIndex={0}>
      {media.map((file) => (
        <span
          key={file.key}
          className={styles.cell}
          style={{ '--ratio': ratioOf(file, 1 / 2, 2) } as React.CSSProperties}
          data-alone={media.length === 1 || undefined}
        >
          <Picture file={file} cover={cover} />
        </span>
      ))}
    </figure>
  );
