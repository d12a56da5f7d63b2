import { type FocusPoint, readFocus } from '#server/networks/focus';
import { thumbnailOf } from '#web/parts/media-file.ts';
import styles from './focus-field.module.css';
import { useEditor } from './use-editor.ts';

const middle: FocusPoint = { x: 0, y: 0 };

/** Sets the focus point for cropping, by click or with two sliders. */
export const FocusField = ({
  id,
  value,
  fallback,
  disabled,
  onChange,
  ...described
}: {
  id: string;
  value: string;
  /** The original's value, which an account's version inherits. */
  fallback: string | undefined;
  disabled: boolean;
  onChange: (value: string) => void;
  'aria-describedby': string | undefined;
}) => {
  const { side, mediaOf } = useEditor();
  const points = readFocus(value) ?? readFocus(fallback ?? '') ?? {};
  const images = [...new Set(side.items.flatMap(({ media }) => media))].filter((one) => mediaOf(one)?.kind === 'Image');
  const set = (image: string, point: FocusPoint) => {
    // Drop images that were removed from the post.
    const others = Object.entries(points).filter(([one]) => images.includes(one) && one !== image);
    const isMiddle = point.x === 0 && point.y === 0;
    const next = Object.fromEntries([...others, ...(isMiddle ? [] : [[image, point] as const])]);
    onChange(Object.keys(next).length === 0 ? '' : JSON.stringify(next));
  };
  if (images.length === 0) {
    return (
      <p id={id} tabIndex={-1} className={styles.none} {...described}>
        Add an image first.
      </p>
    );
  }
  return (
    <ul id={id} tabIndex={-1} className={styles.images} {...described}>
      {images.map((image, index) => {
        const point = points[image] ?? middle;
        const slider = (axis: 'x' | 'y', name: string) => (
          <input
            type="range"
            className={styles.slider}
            aria-label={`Image ${index + 1}: ${name}`}
            min={-100}
            max={100}
            step={5}
            disabled={disabled}
            value={Math.round(point[axis] * 100)}
            onChange={({ currentTarget }) => set(image, { ...point, [axis]: Number(currentTarget.value) / 100 })}
          />
        );
        return (
          <li key={image} className={styles.image}>
            {/* biome-ignore lint/a11y/noStaticElementInteractions: the sliders do the same for the keyboard */}
            {/* biome-ignore lint/a11y/useKeyWithClickEvents: the sliders do the same for the keyboard */}
            <span
              className={styles.frame}
              onClick={({ currentTarget, clientX, clientY }) => {
                const { left, top, width, height } = currentTarget.getBoundingClientRect();
                const share = (at: number, size: number) => Math.round((at / size) * 200 - 100) / 100;
                if (!disabled) set(image, { x: share(clientX - left, width), y: -share(clientY - top, height) });
              }}
            >
              <img src={thumbnailOf(image)} alt={mediaOf(image)?.alt ?? ''} />
              <span
                className={styles.point}
                style={{ left: `${(point.x + 1) * 50}%`, top: `${(1 - point.y) * 50}%` }}
                aria-hidden="true"
              />
            </span>
            {slider('x', 'left to right')}
            {slider('y', 'bottom to top')}
          </li>
        );
      })}
    </ul>
  );
};
