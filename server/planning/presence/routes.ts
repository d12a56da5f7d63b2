import type { PresenceRoutes } from '#contracts/presence';
import type { RouteHandlers } from '#server/base/context';
import type { Presence } from './presence.ts';

export const presenceRoutes = ({ presence }: { presence: Presence }): RouteHandlers<PresenceRoutes> => ({
  reportPresence: ({ params, body, caller }) => presence.report(caller, params.id, body),
});
