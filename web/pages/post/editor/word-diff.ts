export interface Piece {
  readonly kind: 'same' | 'gone' | 'new';
  readonly text: string;
}

/** Longer stretches that differ are shown as one: comparing them word by word would hold up the page. */
const mostWords = 1500;

/** What became of a text, word by word. */
export const wordDiff = (before: string, after: string): Piece[] => {
  const old = before.match(words) ?? [];
  const now = after.match(words) ?? [];
  let start = 0;
  while (start < old.length && old[start] === now[start]) start++;
  let end = 0;
  const most = Math.min(old.length, now.length) - start;
  while (end < most && old[old.length - 1 - end] === now[now.length - 1 - end]) end++;
  const middle = between(old.slice(start, old.length - end), now.slice(start, now.length - end));
  const head: Piece = { kind: 'same', text: old.slice(0, start).join('') };
  const tail: Piece = { kind: 'same', text: old.slice(old.length - end).join('') };
  return joined([head, ...middle, tail]);
};

const words = /\s+|[\p{L}\p{N}]+|[^\s\p{L}\p{N}]/gu;

const between = (old: readonly string[], now: readonly string[]): Piece[] => {
  if (old.length > mostWords || now.length > mostWords) {
    return [
      { kind: 'gone', text: old.join('') },
      { kind: 'new', text: now.join('') },
    ];
  }
  // lengths[i][j]: the longest common rest of old from i and now from j.
  const width = now.length + 1;
  const lengths = new Uint16Array((old.length + 1) * width);
  const at = (i: number, j: number) => lengths[i * width + j] ?? 0;
  for (let i = old.length - 1; i >= 0; i--) {
    for (let j = now.length - 1; j >= 0; j--) {
      lengths[i * width + j] = old[i] === now[j] ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1));
    }
  }
  const pieces: Piece[] = [];
  for (let i = 0, j = 0; i < old.length || j < now.length; ) {
    const [gone, fresh] = [old[i], now[j]];
    if (gone !== undefined && gone === fresh) {
      pieces.push({ kind: 'same', text: gone });
      i++;
      j++;
    } else if (gone !== undefined && (fresh === undefined || at(i + 1, j) >= at(i, j + 1))) {
      pieces.push({ kind: 'gone', text: gone });
      i++;
    } else if (fresh !== undefined) {
      pieces.push({ kind: 'new', text: fresh });
      j++;
    }
  }
  return pieces;
};

const joined = (pieces: readonly Piece[]): Piece[] => {
  const found: Piece[] = [];
  for (const piece of pieces) {
    const last = found.at(-1);
    if (piece.text === '') continue;
    if (last?.kind === piece.kind) found[found.length - 1] = { kind: last.kind, text: last.text + piece.text };
    else found.push(piece);
  }
  return found;
};
