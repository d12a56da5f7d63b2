import type { Random } from './random.ts';

export const kinds = ['text', 'thread', 'picture', 'video', 'comment'] as const;
export type Kind = (typeof kinds)[number];

/** How the post is published. */
export type Way = 'publish' | 'schedule' | 'approve' | 'approve-twice' | 'reject' | 'draft';

const kindWeights: Record<Kind, number> = { text: 45, thread: 15, picture: 25, video: 8, comment: 7 };
const wayWeights: Record<Way, number> = {
  publish: 40,
  schedule: 35,
  approve: 12,
  'approve-twice': 7,
  reject: 3,
  draft: 3,
};
const maxNetworks = 4;

/** Options that a network requires. */
const requiredOptions: Readonly<Record<string, string>> = {
  'pinterest.board': '549755885175',
  'tiktok.privacy': 'PUBLIC_TO_EVERYONE',
};

export interface PlannedPost {
  readonly number: number;
  readonly kind: Kind;
  readonly way: Way;
  readonly networks: readonly string[];
  /** The texts of its items; media are in the first one. */
  readonly bodies: readonly string[];
  readonly options: Readonly<Record<string, string>>;
  /** The names of the parts that become public on each network, in order. */
  readonly parts: readonly string[];
  /** For `schedule`: how far ahead. */
  readonly aheadMs: number;
}

const textOf = (number: number, part: string) => `Soak post ${number} ${part}.`;

/** Which post a public text belongs to, and which part of it that is. */
export const readMarker = (text: string) => {
  const [, number, part] = /Soak post (\d+) (part \d+|comment)/.exec(text) ?? [];
  return part === undefined ? undefined : { number: Number(number), part };
};

/** The post with this number: the same for the same seed. */
export const planPost = (
  number: number,
  random: Random,
  takers: Readonly<Record<Kind, readonly string[]>>,
): PlannedPost => {
  const kind = random.weighted(kindWeights);
  const way = random.weighted(wayWeights);
  const networks = random.shuffle(takers[kind]).slice(0, random.between(1, maxNetworks));
  return shapePost({
    number,
    kind,
    way,
    networks,
    items: random.between(2, 3),
    aheadMs: random.between(3_000, 40_000),
  });
};

export const shapePost = ({
  number,
  kind,
  way,
  networks,
  items,
  aheadMs,
}: Pick<PlannedPost, 'number' | 'kind' | 'way' | 'networks' | 'aheadMs'> & { items: number }): PlannedPost => {
  const itemParts = Array.from({ length: kind === 'thread' ? items : 1 }, (_, index) => `part ${index + 1}`);
  const required = Object.entries(requiredOptions).filter(([key]) => networks.includes(key.split('.')[0] ?? ''));
  const comments =
    kind === 'comment' ? networks.map((network) => [`${network}.first_comment`, textOf(number, 'comment')]) : [];
  return {
    number,
    kind,
    way,
    networks,
    bodies: itemParts.map((part) => textOf(number, part)),
    options: Object.fromEntries([...required, ...comments]),
    parts: [...itemParts, ...(kind === 'comment' ? ['comment'] : [])],
    aheadMs,
  };
};
