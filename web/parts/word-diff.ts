interface Piece {
  kind: 'same' | 'gone' | 'new';
  text: string;
}

/** Limits the LCS table; larger diffs show the middle as replaced. */
const maxCells = 1_000_000;

const wordsOf = (text: string) => text.match(/\s+|[^\s]+/g) ?? [];

export const wordDiff = (before: string, after: string): Piece[] => {
  const [a, b] = [wordsOf(before), wordsOf(after)];
  let start = 0;
  while (start < a.length && start < b.length && a[start] === b[start]) start++;
  let end = 0;
  while (end < a.length - start && end < b.length - start && a[a.length - 1 - end] === b[b.length - 1 - end]) end++;
  return joinPieces([
    ...a.slice(0, start).map((text): Piece => ({ kind: 'same', text })),
    ...diffMiddle(a.slice(start, a.length - end), b.slice(start, b.length - end)),
    ...a.slice(a.length - end).map((text): Piece => ({ kind: 'same', text })),
  ]);
};

/** Longest common subsequence of words. */
const diffMiddle = (a: readonly string[], b: readonly string[]): Piece[] => {
  if (a.length * b.length > maxCells) {
    return [...a.map((text): Piece => ({ kind: 'gone', text })), ...b.map((text): Piece => ({ kind: 'new', text }))];
  }
  const width = b.length + 1;
  const lengths = new Uint32Array((a.length + 1) * width);
  const at = (i: number, j: number) => lengths[i * width + j] ?? 0;
  for (let i = a.length - 1; i >= 0; i--) {
    for (let j = b.length - 1; j >= 0; j--) {
      lengths[i * width + j] = a[i] === b[j] ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1));
    }
  }
  const pieces: Piece[] = [];
  let [i, j] = [0, 0];
  while (i < a.length || j < b.length) {
    if (i < a.length && a[i] === b[j]) {
      pieces.push({ kind: 'same', text: a[i] ?? '' });
      i++;
      j++;
    } else if (i < a.length && (j >= b.length || at(i + 1, j) >= at(i, j + 1))) {
      pieces.push({ kind: 'gone', text: a[i++] ?? '' });
    } else pieces.push({ kind: 'new', text: b[j++] ?? '' });
  }
  return pieces;
};

/** Merges adjacent pieces; whitespace between two changed words counts as changed. */
const joinPieces = (pieces: readonly Piece[]): Piece[] => {
  const sorted: Piece[] = [];
  for (let index = 0; index < pieces.length; ) {
    if (pieces[index]?.kind === 'same') {
      sorted.push(pieces[index++] as Piece);
      continue;
    }
    let [gone, fresh] = ['', ''];
    for (; index < pieces.length; index++) {
      const piece = pieces[index] as Piece;
      const between = piece.kind === 'same' && piece.text.trim() === '' && pieces[index + 1]?.kind !== 'same';
      if (piece.kind === 'same' && !(between && index + 1 < pieces.length)) break;
      if (piece.kind !== 'new') gone += piece.text;
      if (piece.kind !== 'gone') fresh += piece.text;
    }
    if (gone !== '') sorted.push({ kind: 'gone', text: gone });
    if (fresh !== '') sorted.push({ kind: 'new', text: fresh });
  }
  return sorted.reduce<Piece[]>((all, piece) => {
    const last = all.at(-1);
    if (last?.kind === piece.kind) last.text += piece.text;
    else all.push({ ...piece });
    return all;
  }, []);
};
