import { Button } from '@mantine/core';
import { useState } from 'react';
import { useNetworks } from '#web/base/networks.ts';
import { joinWithAnd } from '#web/parts/join-names.ts';
import { thumbnailOf } from '#web/parts/media-file.ts';
import { formatMoment } from '#web/parts/option-value.ts';
import { VideoFrame } from '#web/parts/video-frame.tsx';
import { setOption } from './draft.ts';
import type { Option } from './limits.ts';
import styles from './moment-field.module.css';
import { useEditor } from './use-editor.ts';

/** Approximate time between two video frames, used as the smallest step. */
const finestMs = 100;

/** Chooses the frame that represents the video. The network's own time unit is never shown. */
export const MomentField = ({
  option,
  value,
  fallback,
  disabled,
  onChange,
  ...fieldProps
}: {
  id: string;
  'aria-describedby': string | undefined;
  option: Option;
  value: string;
  fallback: string | undefined;
  disabled: boolean;
  onChange: (value: string) => void;
}) => {
  const { side, mediaOf, editSide } = useEditor();
  const others = useOtherMoments(option);
  const video = side.items[0]?.media.map(mediaOf).find((item) => item?.kind === 'Video');
  const [duration, setDuration] = useState<number>();
  const { unitMs = 1 } = option;
  const durationMs = video?.durationMs ?? duration;
  const atMs = Number(value || fallback || 0) * unitMs;
  if (video === undefined) return <p className="small text-2">Add a video to choose its cover.</p>;
  const toValue = (ms: number, unit: number) => String(Math.round(ms / unit));
  return (
    <div className={styles.field}>
      <Frame id={video.id} atMs={atMs} onDuration={setDuration} />
      <div className={styles.controls}>
        <input
          {...fieldProps}
          type="range"
          className={styles.range}
          disabled={disabled || durationMs === undefined}
          min={0}
          max={Math.floor((durationMs ?? 0) / unitMs) * unitMs}
          step={Math.max(unitMs, finestMs)}
          value={atMs}
          aria-valuetext={formatMoment(atMs)}
          onChange={({ currentTarget }) => onChange(toValue(Number(currentTarget.value), unitMs))}
        />
        <p className={styles.line}>
          <span className="number">
            {formatMoment(atMs)}
            {durationMs !== undefined && ` of ${formatMoment(durationMs)}`}
          </span>
          {value !== '' && !disabled && (
            <Button variant="quiet" size="compact-xs" onClick={() => onChange('')}>
              Back to the first frame
            </Button>
          )}
        </p>
        {others.options.length > 0 && value !== '' && !disabled && (
          <Button
            size="xs"
            onClick={() => {
              for (const { key, unitMs: unit = 1 } of others.options) editSide(setOption(key, toValue(atMs, unit)));
            }}
          >
            Use this frame on {others.names} too
          </Button>
        )}
      </div>
    </div>
  );
};

/** The same setting on the post's other networks. */
const useOtherMoments = ({ key }: Option) => {
  const { chosen, version, optionsOf } = useEditor();
  const networks = useNetworks();
  // An account's version only concerns that account's network.
  const keys = version === undefined ? [...new Set(chosen.map(({ network }) => network))] : [];
  const options = keys.flatMap((network) =>
    optionsOf(network).flatMap((option) => (option.unitMs && option.key !== key ? [{ network, ...option }] : [])),
  );
  return { options, names: joinWithAnd(options.map(({ network }) => networks.of(network).name)) };
};

const Frame = ({ id, atMs, onDuration }: { id: string; atMs: number; onDuration: (ms: number) => void }) => {
  const [isUnplayable, setIsUnplayable] = useState(false);
  if (isUnplayable) {
    return (
      <div className={styles.frame}>
        <img src={thumbnailOf(id)} alt="" />
        <p className="caption text-2">This browser cannot show the video. The moment counts all the same.</p>
      </div>
    );
  }
  return (
    <div className={styles.frame}>
      <VideoFrame
        src={`/media/${id}`}
        poster={thumbnailOf(id)}
        atMs={atMs}
        label="The frame that becomes the cover"
        onDuration={onDuration}
        onUnplayable={() => setIsUnplayable(true)}
      />
    </div>
  );
};
