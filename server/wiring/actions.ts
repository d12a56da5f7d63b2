import type { Action, Approval, Route } from '#contracts/define';
import { actions as declared } from '#generated/catalog';
import { createHandlers } from '#generated/handlers';
import { routes as declaredRoutes } from '#generated/rest';
import type { Access } from '#server/access/open';
import { prepareActions, prepareRoutes } from '#server/agents/admission';
import type { OfAgents } from '#server/agents/open';
import type { Connecting } from '#server/connecting/open';
import type { Delivery } from '#server/delivery/open';
import type { Media } from '#server/media/open';
import type { Planning } from '#server/planning/open';
import { createSuggestedTimes } from '#server/planning/slots/suggested-times';
import type { Writing } from '#server/writing/open';

/** What each action and route asks a person, by name. */
export const approvals: ReadonlyMap<string, Approval> = new Map(
  Object.entries<Action | Route>({ ...declaredRoutes, ...declared }).flatMap(([name, { approval }]) =>
    approval ? [[name, approval] as const] : [],
  ),
);

/** Gives the generated handlers their rules. `requestable` has the routes too that people may ask for. */
export const createActions = (
  {
    access: { config, clock },
    connecting: { accounts, providers, networkKeys },
    media: { media },
    writing: { posts, mediaRoutes },
    planning: { bin, slots },
    delivery: { publishing, statistics, analytics },
  }: {
    access: Access;
    connecting: Connecting;
    media: Media;
    writing: Writing;
    planning: Planning;
    delivery: Delivery;
  },
  ofAgents: OfAgents,
) => {
  const { reading, drafts, lifecycle, readiness } = posts;
  const handlers = createHandlers({
    ...ofAgents,
    accounts: accounts.accounts,
    providers,
    networkKeys,
    library: media.library,
    uploadAddresses: media.uploadAddresses,
    reading,
    drafts,
    lifecycle,
    readiness,
    bin: bin.bin,
    publishControls: publishing.publishControls,
    statistics: statistics.statistics,
    analytics: analytics.analytics,
    suggestTimes: createSuggestedTimes({ slots: slots.slots, analytics: analytics.analytics, clock }),
  });
  const actions = prepareActions(declared, handlers, config.baseUrl, (caller, subject, id) =>
    subject === 'post' ? reading.get(caller, id) : accounts.accounts.mustExist(caller, id),
  );
  const routes = prepareRoutes(
    declaredRoutes,
    { ...posts.routes, ...publishing.routes, ...mediaRoutes.routes },
    config.baseUrl,
  );
  return { actions, requestable: new Map([...actions, ...routes]) };
};
