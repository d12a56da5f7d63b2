/** Pseudo-random numbers, determined only by seed and name. */
export interface Random {
  /** From 0 (included) to 1 (excluded). */
  next(): number;
  /** An integer, both ends included. */
  between(least: number, most: number): number;
  chance(share: number): boolean;
  pick<Item>(items: readonly Item[]): Item;
  /** In proportion to the weights. */
  weighted<Name extends string>(weights: Readonly<Record<Name, number>>): Name;
  shuffle<Item>(items: readonly Item[]): Item[];
}

export type Streams = ReturnType<typeof createStreams>;

/** Independent streams from one seed, so that what one caller draws does not depend on the speed of another. */
export const createStreams =
  (seed: string) =>
  (name: string): Random => {
    let state = hash(`${seed} ${name}`);
    // mulberry32
    const next = () => {
      state = (state + 0x6d2b79f5) >>> 0;
      let mixed = Math.imul(state ^ (state >>> 15), state | 1);
      mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
      return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
    };
    const between = (least: number, most: number) => least + Math.floor(next() * (most - least + 1));
    return {
      next,
      between,
      chance: (share) => next() < share,
      pick: <Item>(items: readonly Item[]) => items[between(0, items.length - 1)] as Item,
      weighted: <Name extends string>(weights: Readonly<Record<Name, number>>) => {
        const entries = Object.entries<number>(weights) as [Name, number][];
        let at = next() * entries.reduce((sum, [, weight]) => sum + weight, 0);
        for (const [name, weight] of entries) {
          at -= weight;
          if (at < 0) return name;
        }
        return (entries.at(-1) as [Name, number])[0];
      },
      shuffle: <Item>(items: readonly Item[]) =>
        items
          .map((item) => ({ item, place: next() }))
          .sort((one, other) => one.place - other.place)
          .map(({ item }) => item),
    };
  };

/** FNV-1a */
const hash = (text: string) => {
  let value = 0x811c9dc5;
  for (const byte of Buffer.from(text)) value = Math.imul(value ^ byte, 0x01000193) >>> 0;
  return value;
};
