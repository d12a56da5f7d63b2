/** Pure, so that the editor in the browser uses the same code as the server. */
export interface FocusPoint {
  /** From -1, the left edge, to 1. */
  readonly x: number;
  /** From -1, the lower edge, to 1. */
  readonly y: number;
}

export const focusShape = '{"media_01JCQ2X7M8T9V0W1X2Y3Z4A5B6":{"x":0,"y":0.5}}';

/** The focal point of each image, by media id; undefined when the text is not valid. */
export const readFocus = (text: string): Readonly<Record<string, FocusPoint>> | undefined => {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
    return Object.values(value).every(isPoint) ? (value as Record<string, FocusPoint>) : undefined;
  } catch {
    return undefined;
  }
};

const isPoint = (value: unknown): value is FocusPoint =>
  typeof value === 'object' &&
  value !== null &&
  Object.keys(value).sort().join() === 'x,y' &&
  Object.values(value).every((one) => typeof one === 'number' && one >= -1 && one <= 1);
