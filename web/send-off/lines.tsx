import { type RefObject, useEffect, useState } from 'react';
import styles from './send-off.module.css';
import type { SendOffRow } from './use-send-off.ts';

interface Geometry {
  readonly width: number;
  readonly height: number;
  readonly isDown: boolean;
  readonly mark: { readonly x: number; readonly y: number };
  /** Where the line of each account ends. */
  readonly ends: ReadonlyMap<string, { readonly x: number; readonly y: number }>;
}

/** Draws one line per account, from the mark to its row. Decorative: the rows say the same in words. */
export const Lines = ({
  field,
  rows,
  isDown,
}: {
  field: RefObject<HTMLDivElement | null>;
  rows: readonly SendOffRow[];
  /** On phones the lines run downward. */
  isDown: boolean;
}) => {
  const geometry = useGeometry(field, isDown);
  if (geometry === undefined) return null;
  const { width, height, ends } = geometry;
  return (
    <svg className={styles.lines} width={width} height={height} aria-hidden="true">
      {rows.map(({ accountId, state, reach }) => {
        const end = ends.get(accountId);
        if (end === undefined) return null;
        const path = pathTo(geometry, end);
        return (
          <g key={accountId} data-state={state}>
            <path className={styles.guide} d={path} />
            <path
              className={styles.line}
              d={path}
              pathLength={1}
              data-first={reach <= 0.34 || undefined}
              style={{ strokeDashoffset: 1 - reach }}
            />
            <circle className={styles.hole} cx={end.x} cy={end.y} r={3} />
            <circle className={styles.dot} cx={end.x} cy={end.y} r={3.5} />
            {state === 'Uncertain' && (
              <>
                <circle className={styles.doubt} cx={end.x} cy={end.y} r={8} />
                <text className={styles.question} x={end.x} y={end.y + 4} textAnchor="middle">
                  ?
                </text>
              </>
            )}
          </g>
        );
      })}
    </svg>
  );
};

const pathTo = ({ mark, isDown }: Geometry, { x, y }: { x: number; y: number }) => {
  if (!isDown) return `M${mark.x},${mark.y} C${mark.x + 52},${mark.y} ${x - 52},${y} ${x},${y}`;
  const bend = Math.min(28, y - mark.y);
  return `M${mark.x},${mark.y} V${y - bend} C${mark.x},${y - bend / 3} ${mark.x + 8},${y} ${x},${y}`;
};

/** Rows grow when they open, so the ends are measured. */
const useGeometry = (field: RefObject<HTMLDivElement | null>, isDown: boolean) => {
  const [geometry, setGeometry] = useState<Geometry>();
  // Not a layout effect: the box around this component has no ref yet.
  useEffect(() => {
    const box = field.current;
    if (box === null) return;
    const measure = () => {
      const { left, top, width, height } = box.getBoundingClientRect();
      const mark = box.querySelector('[data-mark]')?.getBoundingClientRect();
      if (mark === undefined) return;
      const ends = [...box.querySelectorAll<HTMLElement>('[data-end]')].map((end) => {
        const rect = end.getBoundingClientRect();
        const place = { x: rect.left + rect.width / 2 - left, y: rect.top + rect.height / 2 - top };
        return [end.dataset.end ?? '', place] as const;
      });
      setGeometry({
        width,
        height,
        isDown,
        mark: isDown
          ? { x: mark.left + mark.width / 2 - left, y: mark.bottom - top }
          : { x: mark.right - left, y: mark.top + mark.height / 2 - top },
        ends: new Map(ends),
      });
    };
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(box);
    for (const row of box.querySelectorAll('li')) observer.observe(row);
    return () => observer.disconnect();
  }, [field, isDown]);
  return geometry;
};
