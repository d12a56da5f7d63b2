import { Router } from 'express';
import { admins } from '#contracts/scopes';
import type { Accounts } from '#server/accounts/connected';
import type { Connecting } from '#server/accounts/connecting';
import { nextPath } from '#server/accounts/routes';
import { Refusal } from '#server/errors';
import type { Providers } from '#server/providers/offered';
import { accountsPage, choosePage, connectPage } from './account-pages.ts';
import { type Here, isOneOf, refusalPage, type ServePage } from './frame.ts';
import { sendPage } from './layout.ts';

/** Social accounts, and the way of a browser from the first click to a connected one. */
export const connectRoutes = ({
  serve,
  accounts,
  providers,
  connecting,
}: {
  serve: ServePage;
  accounts: Accounts;
  providers: Providers;
  connecting: Connecting;
}): Router => {
  /** What is refused on the way is told with the ways on: again, or back. */
  const onTheWay = (again: (params: Record<string, string>) => string | undefined, work: Parameters<ServePage>[0]) =>
    serve(async (here, req, res) => {
      try {
        mustConnect(here);
        await work(here, req, res);
      } catch (error) {
        if (!(error instanceof Refusal)) throw error;
        const path = error.code === 'Forbidden' || error.code === 'NotFound' ? undefined : again(req.params);
        const ways = [
          ...(path === undefined ? [] : [{ href: path, text: 'Try again' }]),
          { href: '/accounts', text: 'Back to the accounts' },
        ];
        sendPage(res, refusalPage(here, '/accounts', 'Not connected', error.message, ways), error.status);
      }
    });
  const toNetwork = ({ network = '' }: Record<string, string>) => `/connect/${encodeURIComponent(network)}`;

  const router = Router();

  router.get(
    '/accounts',
    serve(async (here, req, res) => {
      const connected = texts(req.query).connected?.split(',') ?? [];
      const list = await accounts.list(here.caller);
      sendPage(res, accountsPage(here, { accounts: list, providers: providers.list(), connected }), 200, {
        avatars: true,
      });
    }),
  );

  router.get(
    '/connect/choose/:id',
    onTheWay(
      () => undefined,
      async (here, req, res) => {
        const { id = '' } = req.params;
        sendPage(res, choosePage(here, { id, ...(await connecting.choices(here.caller, id)) }), 200, { avatars: true });
      },
    ),
  );

  router.get(
    '/connect/:network',
    onTheWay(toNetwork, async (here, req, res) => {
      const { network, connect } = connecting.form(req.params.network ?? '');
      if (connect.kind === 'OAuth') return res.redirect(nextPath(await connecting.begin(here.caller, network.key, {})));
      sendPage(res, connectPage(here, { network, connect, sandbox: !providers.isLive(network) }));
    }),
  );

  router.get(
    '/connect/:network/callback',
    onTheWay(toNetwork, async (here, req, res) => {
      const step = await connecting.finish(here.caller, req.params.network ?? '', texts(req.query));
      res.redirect(nextPath(step));
    }),
  );

  return router;
};

const mustConnect = (here: Here) => {
  if (!isOneOf(here, admins)) {
    throw new Refusal(
      'Forbidden',
      `Owners and admins connect accounts; you are ${here.caller.role} in ${here.session.workspace?.name}. Ask one of them.`,
    );
  }
};

const texts = (values: Readonly<Record<string, unknown>>): Record<string, string> =>
  Object.fromEntries(Object.entries(values).filter((entry): entry is [string, string] => typeof entry[1] === 'string'));
