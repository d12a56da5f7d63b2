import { z } from 'zod';
import {
  absent,
  type Confirmation,
  type NetworkAccount,
  type Preparation,
  ready,
  type Sending,
  type Sent,
  type Site,
  sent,
  unknown,
  waiting,
} from '#server/networks/network';
import { shaped } from '#server/networks/request';
import { isVideo } from '#server/networks/shared/post';
import { type Page, searchBack } from '#server/networks/shared/recent';
import { NetworkTrouble } from '#server/networks/trouble';
import { type Ask, hasText, isGone, isPart, kindOfText } from './graph.ts';

/** What Instagram and Threads publish: created, then processed by the network, then published once. */
export interface Containers {
  /** The containers of a carousel's items, which go into the container that is published. */
  readonly children: readonly string[];
  readonly container?: string;
  /** Containers that the network is still processing. */
  readonly working: readonly string[];
  /** How many times its state was read in this step. */
  readonly asked: number;
}

export const noContainers: Containers = { children: [], working: [], asked: 0 };

/** A post as a list of the account shows it. */
export interface ListedPost {
  readonly id: string;
  readonly text?: string | undefined;
  readonly at: string;
  readonly url?: string | undefined;
}

type Fields = Readonly<Record<string, unknown>>;

export interface Form {
  readonly children: readonly Fields[];
  readonly container: (children: readonly string[]) => Fields;
}

type State = 'IN_PROGRESS' | 'FINISHED' | 'PUBLISHED' | 'ERROR' | 'EXPIRED' | 'GONE';

const states = z.enum(['IN_PROGRESS', 'FINISHED', 'PUBLISHED', 'ERROR', 'EXPIRED']);
/**
 * Instagram has the reason in `status` and the state in `status_code`; Threads has them in `error_message` and
 * `status`.
 */
const Status = z.union([
  z
    .object({ status_code: states, status: z.string().optional() })
    .transform(({ status_code, status }) => ({ state: status_code, why: status })),
  z
    .object({ status: states, error_message: z.string().optional() })
    .transform(({ status, error_message }) => ({ state: status, why: error_message })),
]);

const Created = z.object({ id: z.string().min(1) });

const longestPauseMs = 30_000;
const pauseMs = ({ part }: Sending, reads: number) =>
  part.media.some(isVideo) ? Math.min(5_000 * (reads + 1), longestPauseMs) : 2_000;

/** A call whose answer was lost may still be under way, and lists lag behind. */
const lookAgainMs = 15_000;
/** How many times a pending state is read again. */
const maxReads = { made: 5, finished: 1, published: 8 };

export const createContainers = ({
  name,
  ask,
  edges,
  statusFields,
  formOf,
  listOf,
  asSent,
}: {
  name: string;
  ask: Ask;
  edges: { readonly create: string; readonly publish: string };
  statusFields: string;
  formOf: (sending: Sending) => Form;
  /** The list that shows the part once it is out, newest first. */
  listOf: (site: Site, sending: Sending) => (cursor?: string) => Promise<Page<ListedPost>>;
  asSent: (site: Site, sending: Sending, post: ListedPost) => Sent;
}) => {
  const create = async (site: Site, account: NetworkAccount, json: Fields) =>
    shaped(Created, await ask(site, account, { path: `/${account.id}/${edges.create}`, json })).id;

  const stateOf = async (site: Site, account: NetworkAccount, id: string): Promise<{ state: State; why?: string }> => {
    try {
      const { state, why } = shaped(
        Status,
        await ask(site, account, { path: `/${id}`, query: { fields: statusFields } }),
      );
      return { state, ...(why !== undefined && { why }) };
    } catch (error) {
      if (isGone(error)) return { state: 'GONE' };
      throw error;
    }
  };

  const prepare = async (site: Site, sending: Sending, checkpoint?: Containers): Promise<Preparation<Containers>> => {
    if (checkpoint === undefined) return begin(site, sending);
    // A container lives for a day.
    return (await goOn(site, sending, checkpoint)) ?? begin(site, sending);
  };

  const begin = async (site: Site, sending: Sending): Promise<Preparation<Containers>> => {
    const children: string[] = [];
    for (const [index, child] of formOf(sending).children.entries()) {
      sending.beginFile?.(index);
      children.push(await create(site, sending.account, child));
    }
    const step = await goOn(site, sending, { children, working: children, asked: 0 });
    if (step) return step;
    throw new NetworkTrouble('temporary', `${name} forgot the post while it was prepared.`, { networkCode: 'EXPIRED' });
  };

  /** Undefined when a container has expired, so that all are created again. */
  const goOn = async (
    site: Site,
    sending: Sending,
    checkpoint: Containers,
  ): Promise<Preparation<Containers> | undefined> => {
    const { account } = sending;
    const working: string[] = [];
    for (const id of checkpoint.working) {
      const { state, why = '' } = await stateOf(site, account, id);
      if (state === 'EXPIRED') return undefined;
      if (state === 'ERROR') throw failed(name, why);
      // Meta may report an existing container as missing for days. A new one would cost quota and fare no better, so
      // after a few reads it is published without its state: Meta refuses one that is not ready.
      const isUnreadable = state === 'GONE' && checkpoint.asked < maxReads.made;
      if (state === 'IN_PROGRESS' || isUnreadable) working.push(id);
    }
    if (working.length > 0) {
      return waiting({ ...checkpoint, working, asked: checkpoint.asked + 1 }, pauseMs(sending, checkpoint.asked));
    }
    const { children } = checkpoint;
    if (checkpoint.container !== undefined)
      return ready({ children, container: checkpoint.container, working: [], asked: 0 });
    const container = await create(site, account, formOf(sending).container(children));
    return goOn(site, sending, { children, container, working: [container], asked: 0 });
  };

  return {
    prepare,

    /** Returns the id of what is now public. */
    publish: async (site: Site, { account }: Sending, { container }: Containers): Promise<string> => {
      const json = { creation_id: container };
      try {
        return shaped(Created, await ask(site, account, { path: `/${account.id}/${edges.publish}`, json })).id;
      } catch (error) {
        throw isUnpublished(error) ? unpublished(name, error) : error;
      }
    },

    confirm: async (site: Site, sending: Sending, prepared: Containers): Promise<Confirmation<Containers>> => {
      const { state } = await stateOf(site, sending.account, prepared.container ?? '');
      const again = waiting({ ...prepared, asked: prepared.asked + 1 }, lookAgainMs);
      switch (state) {
        case 'PUBLISHED':
        case 'GONE': {
          const { candidates, isComplete } = await searchBack({
            readPage: listOf(site, sending),
            isCandidate: (post) => isPart(sending, post),
            isMatch: () => hasText(sending),
            timeOf: ({ at }) => Date.parse(at),
            since: sending.since,
          });
          const [post, ...others] = candidates;
          // Without text, another post looks the same.
          const isSure = hasText(sending) || (state === 'PUBLISHED' && others.length === 0 && isComplete);
          if (post) return isSure ? sent(asSent(site, sending, post)) : unknown;
          return state === 'PUBLISHED' && prepared.asked < maxReads.published ? again : unknown;
        }
        case 'IN_PROGRESS':
          return again;
        case 'FINISHED':
          return prepared.asked < maxReads.finished ? again : absent;
        default:
          return absent;
      }
    },
  };
};

const failed = (name: string, why: string) =>
  new NetworkTrouble(
    kindOfText(why) ?? (why === 'UNKNOWN' ? 'temporary' : 'media'),
    `${name} could not use the media (${why || 'it does not say why'}). Check that the file is as ${name} wants it, and that ${name} can fetch it from this server.`,
    { networkCode: /\b\d{7}\b/.exec(why)?.[0] ?? (why || 'ERROR') },
  );

/** The container is not ready (9007), or does not exist (24): certainly nothing was published. */
const isUnpublished = (error: unknown): error is NetworkTrouble =>
  error instanceof NetworkTrouble && /^(?:9007|24)\b/.test(error.networkCode ?? '');

/** The part is prepared and sent again, as after an outage. */
const unpublished = (name: string, { networkCode = '' }: NetworkTrouble) =>
  new NetworkTrouble('temporary', `${name} is not done with the media.`, { networkCode, reached: false });

const Permalink = z.object({ permalink: z.url() });

/** The post is out: trouble with its address, which only the network knows, does not change that. */
export const addressOf = async (
  ask: Ask,
  site: Site,
  account: NetworkAccount,
  id: string,
  otherwise: string,
): Promise<string> => {
  try {
    return shaped(Permalink, await ask(site, account, { path: `/${id}`, query: { fields: 'permalink' } })).permalink;
  } catch (error) {
    if (error instanceof NetworkTrouble) return otherwise;
    throw error;
  }
};
