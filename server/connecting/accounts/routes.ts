import type { AccountRoutes } from '#contracts/accounts';
import type { RouteHandlers } from '#server/base/context';
import type { Choices } from './choices.ts';
import type { Connecting, Step } from './connecting.ts';

export const accountRoutes = ({
  connecting,
  choices,
}: {
  connecting: Connecting;
  choices: Choices;
}): RouteHandlers<AccountRoutes> => ({
  beginConnection: async ({ body, caller }) => toAnswer(await connecting.begin(caller, body.network, body.values)),
  getConnectForm: async ({ params }) => connecting.fields(params.network),
  finishConnection: async ({ params, body, caller }) =>
    toAnswer(await connecting.finish(caller, params.network, body.answer)),
  listChoices: async ({ params, caller }) => {
    const { network, accounts } = await connecting.choices(caller, params.id);
    return { network: network.key, provider: network.name, accounts: [...accounts] };
  },
  findChoices: async ({ params, query, caller }) => choices.find(caller, params.id, query),
  chooseAccounts: async ({ params, body, caller }) => toAnswer(await connecting.choose(caller, params.id, body.ids)),
});

const toAnswer = (step: Step) =>
  step.is === 'connected' ? { next: nextPath(step), accountIds: [...step.accountIds] } : { next: nextPath(step) };

/** The path or URL that the browser opens next. */
const nextPath = (step: Step): string => {
  if (step.is === 'go') return step.url;
  if (step.is === 'choose') return `/connect/choose/${step.connectionId}`;
  return `/accounts?connected=${step.accountIds.join(',')}`;
};
