import type { WorldClock } from './clocks.ts';
import type { PlannedPost } from './posts.ts';

/** One attempt to publish, schedule or approve. A lost one got no answer, so it may have worked. */
export interface Press {
  readonly atMs: number;
  end: 'taken' | 'refused' | 'lost';
}

export interface LedgerPost {
  readonly id: string;
  readonly plan: PlannedPost;
  /** In the order in which they were made. */
  readonly presses: Press[];
  /** ISO-8601 instant that was acknowledged. */
  scheduledFor?: string;
  /** When the person published it again for the first time, by the world clock. */
  publishedAgainAtMs?: number;
}

export interface LedgerCard {
  readonly id: string;
  readonly postNumber: number;
  /** What the person pressed. */
  readonly decision: 'approve' | 'reject';
  /** How many presses were answered with success. */
  successes: number;
  lost: number;
}

export type Ledger = ReturnType<typeof createLedger>;

/** What the service acknowledged to callers. The witness compares it with what happened. */
export const createLedger = (clock: WorldClock) => {
  const posts = new Map<number, LedgerPost>();
  const cards: LedgerCard[] = [];
  const uploads = new Map<string, string>();
  /** On the workspace with the small plan. */
  const plan = { scheduled: 0, unscheduled: 0, refused: 0, lost: 0 };
  const troubles = new Map<string, number>();

  return {
    posts: posts as ReadonlyMap<number, LedgerPost>,
    cards: cards as readonly LedgerCard[],
    /** SHA-256 by media id. */
    uploads: uploads as ReadonlyMap<string, string>,
    plan,
    /** Callers that gave up, and why. */
    troubles: troubles as ReadonlyMap<string, number>,

    created: (post: PlannedPost, id: string) => {
      const entry: LedgerPost = { id, plan: post, presses: [] };
      posts.set(post.number, entry);
      return entry;
    },

    /** Called before each attempt, which counts as lost until it is answered. */
    press: (post: LedgerPost): Press => {
      const press: Press = { atMs: clock.nowMs(), end: 'lost' };
      post.presses.push(press);
      return press;
    },

    asked: (id: string, postNumber: number, decision: LedgerCard['decision']) => {
      const card: LedgerCard = { id, postNumber, decision, successes: 0, lost: 0 };
      cards.push(card);
      return card;
    },

    uploaded: (id: string, sha256: string) => uploads.set(id, sha256),

    gaveUp: (job: string, why: string) => {
      const reason = `${job}: ${why.replace(/\d+/g, '…').slice(0, 200)}`;
      troubles.set(reason, (troubles.get(reason) ?? 0) + 1);
    },
  };
};

/** The service confirmed the publication, or a later answer shows that an unanswered attempt worked. */
export const isAcknowledged = ({ presses }: LedgerPost) => presses.some(({ end }) => end === 'taken');
