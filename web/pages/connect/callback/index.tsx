import { useNavigate, useParams } from '@tanstack/react-router';
import { useEffect, useRef, useState } from 'react';
import { app } from '#web/base/api.ts';
import { useNetworks } from '#web/base/networks.ts';
import { usePermissions } from '#web/base/session.ts';
import { ConnectPage, NotConnected } from '#web/pages/connect/connect-page.tsx';
import { useContinueTo } from '#web/pages/connect/use-connect.ts';

/** OAuth callback: passes the network's parameters to the server. */
const ConnectCallback = () => {
  const { network } = useParams({ from: '/shell/connect/$network/callback' });
  const { canManage } = usePermissions();
  const { name } = useNetworks().of(network);
  const [fault, setFault] = useState<unknown>();
  const hasFinished = useRef(false);
  const continueTo = useContinueTo();
  const navigate = useNavigate();
  useEffect(() => {
    // The authorization code works once.
    if (hasFinished.current || !canManage) return;
    hasFinished.current = true;
    const answer = Object.fromEntries(new URLSearchParams(location.search));
    app.finishConnection({ network, answer }).then(({ next }) => continueTo(next), setFault);
  }, [canManage, network, continueTo]);
  const retry = () => navigate({ to: '/connect/$network', params: { network }, replace: true });
  return (
    <ConnectPage title={`Connect ${name}`}>
      {fault === undefined ? (
        <p role="status" className="text-2">
          Connecting {name}…
        </p>
      ) : (
        <NotConnected fault={fault} onAgain={retry} />
      )}
    </ConnectPage>
  );
};

export default ConnectCallback;
