import type { Constraints, Option } from '#contracts/providers';

export interface NetworkMedia {
  readonly id: string;
  readonly kind: 'Image' | 'Video';
  readonly mimeType: string;
  readonly bytes: number;
  readonly width: number;
  readonly height: number;
  readonly durationMs?: number;
  readonly alt?: string;
}

export interface NetworkItem {
  readonly body: string;
  readonly media: readonly NetworkMedia[];
}

/** A post as one account gets it: its version, and its options with the defaults filled in. */
export interface NetworkPost {
  readonly items: readonly NetworkItem[];
  readonly options: Readonly<Record<string, string>>;
}

/** A broken rule. `path` is relative to the version: `content.0.body`, `options.youtube.title`. */
export interface Problem {
  readonly path: string;
  readonly code: string;
  readonly message: string;
  readonly limit?: number | string;
  readonly actual?: number | string;
}

/** Everything the service knows about a network. Nothing outside its folder names it. */
export interface Network {
  /** `bluesky`: the folder's name, and how option keys begin. */
  readonly key: string;
  /** `Bluesky`: what people read. */
  readonly name: string;
  /** Settings the operator registers at the network; empty when it needs none. */
  readonly settings: readonly string[];
  /** The permission that reading statistics needs on top of publishing (SPEC, Statistics rules 10). */
  readonly statisticsPermission?: string;
  /** What providers.limits shows. */
  readonly constraints: Constraints;
  readonly options: readonly Option[];
  /** The constraints for this very post: a story allows less than a post. */
  constraintsFor(post: NetworkPost): Constraints;
  /** The length of a text as the network counts it. */
  count(body: string, post: NetworkPost): number;
  /** Rules that the constraints cannot say. */
  check(post: NetworkPost): readonly Problem[];
}
