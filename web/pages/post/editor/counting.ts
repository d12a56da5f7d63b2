import type { Constraints } from './use-editor.ts';

export interface Length {
  readonly count: number;
  readonly max: number;
  readonly over: number;
  /** Over the second limit that some networks have. */
  readonly bytesOver: number;
}

/** How long a text is for a network, by the code that the server counts with. */
export const lengthOf = (
  { characters }: Constraints,
  body: string,
  options: Readonly<Record<string, string>>,
): Length => {
  void options;
  const count = [...body].length;
  const bytes = characters.maxBytes === undefined ? 0 : new TextEncoder().encode(body).length - characters.maxBytes;
  return { count, max: characters.max, over: Math.max(0, count - characters.max), bytesOver: Math.max(0, bytes) };
};
