import { useEffect, useRef } from 'react';

/** One frame of a video. The browser seeks in the file itself, so no frames are stored. */
export const VideoFrame = ({
  src,
  poster,
  atMs,
  label,
  className,
  onDuration,
  onUnplayable,
}: {
  src: string;
  /** Shown until the frame has loaded. */
  poster: string;
  atMs: number;
  label: string;
  className?: string | undefined;
  onDuration?: (ms: number) => void;
  onUnplayable: () => void;
}) => {
  const video = useRef<HTMLVideoElement>(null);
  useEffect(() => {
    if (video.current) video.current.currentTime = atMs / 1000;
  }, [atMs]);
  return (
    <video
      ref={video}
      className={className}
      src={src}
      poster={poster}
      muted
      playsInline
      preload="metadata"
      aria-label={label}
      onLoadedMetadata={({ currentTarget }) => {
        if (Number.isFinite(currentTarget.duration)) onDuration?.(currentTarget.duration * 1000);
        currentTarget.currentTime = atMs / 1000;
      }}
      onError={onUnplayable}
    />
  );
};
