import type { Result } from '#contracts/posts';
import type { Caller, Preparation } from '#server/base/context';
import { Refusal } from '#server/base/errors';
import type { PostKey } from '#server/base/store/post-key';
import type { Networks } from '#server/networks/registry';
import type { Lifecycle } from '#server/writing/posts/lifecycle';
import type { Outcomes } from '#server/writing/posts/outcome';
import type { Readiness } from '#server/writing/posts/readiness';
import type { Reading } from '#server/writing/posts/reading';
import type { BeginPublishing } from './begin.ts';
import type { BeginStore } from './begin-store.ts';
import type { SendProgress } from './progress.ts';
import type { LostSend, PublishControlStore } from './publish-control-store.ts';
import { inMinutes, waitsToSend } from './result.ts';
import { stepOf } from './send-step.ts';

export type PublishControls = ReturnType<typeof createPublishControls>;

/** What people can do to a post outside its schedule: publish now, watch, give up, confirm. */
export const createPublishControls = ({
  store,
  beginStore,
  lifecycle,
  readiness,
  outcomes,
  reading,
  begin,
  networks,
  sendProgress,
}: {
  store: PublishControlStore;
  beginStore: BeginStore;
  lifecycle: Lifecycle;
  readiness: Readiness;
  outcomes: Outcomes;
  reading: Reading;
  begin: BeginPublishing;
  networks: Networks;
  sendProgress: SendProgress;
}) => {
  const holdLeftMsOf = ({ network, lostForMs }: LostSend) => networks.get(network).holdMs - (lostForMs ?? 0);

  /**
   * Refuses while the network may still act on the lost request: a person who checks the account too early may miss the
   * post.
   */
  const mustBePastHoldTime = (send: LostSend) => {
    const holdLeftMs = holdLeftMsOf(send);
    if (holdLeftMs <= 0) return;
    throw new Refusal(
      'Conflict',
      `${networks.get(send.network).name} may still publish it within ${inMinutes(holdLeftMs)}. Look at the account after that, then publish again if it is not there.`,
    );
  };

  const readSteps = async (post: PostKey) => {
    const latest = sendProgress.of(post.postId);
    return (await store.states(post)).map((state) => stepOf(state, latest.get(state.accountId)));
  };

  const beginNow = async (
    caller: Caller,
    id: string,
    preparation: Preparation,
    { despite = [], only = [] }: { despite?: readonly string[]; only?: readonly string[] } = {},
  ) => {
    const post = { workspaceId: caller.workspaceId, postId: id };
    const otherFailures = await lifecycle.readyNow(caller, id, only, preparation);
    if (despite.length > 0) for (const lost of await store.forgetBegun(post, despite)) mustBePastHoldTime(lost);
    await begin([post]);
    if (otherFailures.length > 0) await store.holdBack(post, otherFailures);
    await outcomes.end(await beginStore.endedPosts([post]));
    return reading.get(caller, id);
  };

  return {
    /**
     * `despite`: uncertain accounts that a person checked and wants the post sent to anyway. `only`: limits the send to
     * these of the accounts without the post; empty means all.
     */
    publishNow: async (
      caller: Caller,
      id: string,
      {
        preparation,
        ...how
      }: {
        despite?: readonly string[];
        only?: readonly string[];
        preparation?: Preparation | undefined;
      } = {},
    ) => {
      const ready = preparation ?? (await readiness.makeReady(caller, await reading.get(caller, id)));
      return store.transaction(() => beginNow(caller, id, ready, how));
    },

    /** Unscheduling and publishing are one transaction: a refusal leaves the post scheduled. */
    publishScheduled: async (caller: Caller, id: string, preparation?: Preparation) => {
      const ready = preparation ?? (await readiness.makeReady(caller, await reading.get(caller, id)));
      return store.transaction(async () => {
        await lifecycle.unschedule(caller, id);
        return beginNow(caller, id, ready);
      });
    },

    /** The results so far. */
    progress: async (caller: Caller, id: string) => {
      const { status, results, accountIds } = await reading.get(caller, id);
      const { workspaceId } = caller;
      const post = { workspaceId, postId: id };
      const steps = await readSteps(post);
      if (status !== 'Publishing') return { status, results, waits: [], steps };
      const verifying = (await store.waiting(post)).flatMap((send): Result[] => {
        const network = networks.get(send.network);
        const holdLeftMs = holdLeftMsOf(send);
        if (holdLeftMs <= 0) return [];
        return [{ accountId: send.accountId, provider: network.name, ...waitsToSend(network, holdLeftMs) }];
      });
      const all = [...results, ...verifying, ...(await store.results(post))];
      const byAccount = new Map(all.map((result) => [result.accountId, result]));
      const waits = (await store.longWaits(post)).map(({ network, ...wait }) => ({
        ...wait,
        provider: networks.get(network).name,
      }));
      return { status, results: accountIds.flatMap((accountId) => byAccount.get(accountId) ?? []), waits, steps };
    },

    /** Ends sends that wait because their network asked to retry later. */
    giveUp: async (caller: Caller, id: string, accountIds: readonly string[]) => {
      const post = await reading.get(caller, id);
      await store.transaction(async () => {
        await lifecycle.mustDecide(caller, 'Stopping a post', id);
        const ended = await store.giveUp({ workspaceId: caller.workspaceId, postId: id }, accountIds);
        if (ended.length < new Set(accountIds).size) {
          throw new Refusal(
            'Conflict',
            'A send is no longer waiting: it is in progress or has ended. Look at the results.',
          );
        }
      });
      return post;
    },

    /** A person checked uncertain accounts and found the post there. */
    confirmFound: (caller: Caller, id: string, accountIds: readonly string[]) =>
      store.transaction(async () => {
        const { post, confirmed } = await lifecycle.confirmFound(caller, id, accountIds);
        await store.settleFound({ workspaceId: caller.workspaceId, postId: id }, confirmed);
        return post;
      }),
  };
};
