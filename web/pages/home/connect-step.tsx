import { Button } from '@mantine/core';
import { useIsMutating, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { app } from '#web/base/api.ts';
import { useNetworks } from '#web/base/networks.ts';
import { keys, queries } from '#web/base/queries.ts';
import { usePermissions } from '#web/base/session.ts';
import { FaultBanner } from '#web/parts/fault-banner.tsx';
import { MainButton } from '#web/parts/main-button.tsx';
import { NetworkBadge } from '#web/parts/network-badge.tsx';
import { count } from '#web/parts/number.ts';
import styles from './first-run.module.css';
import { takesText } from './takes-text.ts';

const suggestedCount = 3;
const connectKey = ['connect sandbox accounts'];

/** Accounts appear one by one, so the first account does not mean that connecting is done. */
export const useIsConnecting = () => useIsMutating({ mutationKey: connectKey }) > 0;

/** Connects sandbox accounts in one click; real ones are connected on the accounts page. */
export const ConnectStep = ({ hasSandbox }: { hasSandbox: boolean }) => {
  const { canManage } = usePermissions();
  const networks = useNetworks().list.filter(({ sandbox }) => sandbox);
  const limits = useQuery(queries.limits).data?.providers ?? [];
  const client = useQueryClient();
  const [chosen, setChosen] = useState<readonly string[]>();
  const sandboxKeys = new Set(networks.map(({ network }) => network));
  const suggestion = limits
    .filter((one) => sandboxKeys.has(one.network) && takesText(one))
    // Text networks first.
    .toSorted((a, b) => Number(b.constraints.thread.max > 1) - Number(a.constraints.thread.max > 1))
    .slice(0, suggestedCount)
    .map(({ network }) => network);
  const selection = chosen ?? suggestion;
  const connect = useMutation({
    mutationKey: connectKey,
    mutationFn: () => app.connectSandboxAccounts({ networks: [...selection] }),
    onSuccess: () => client.invalidateQueries({ queryKey: keys.accounts }),
  });
  if (!canManage) return <p className="small text-2">An owner or admin connects accounts. Ask one of them.</p>;
  if (!hasSandbox) {
    return (
      <Button variant="ink" renderRoot={(props) => <Link to="/accounts" {...props} />}>
        Connect an account
      </Button>
    );
  }
  const toggle = (network: string) =>
    setChosen(selection.includes(network) ? selection.filter((one) => one !== network) : [...selection, network]);
  return (
    <>
      {/* biome-ignore lint/a11y/useSemanticElements: a fieldset cannot be laid out as a row everywhere */}
      <div className="flow" role="group" aria-label="Sandbox networks">
        {networks.map(({ network, provider }) => {
          const isOn = selection.includes(network);
          return (
            <button
              key={network}
              type="button"
              className={styles.network}
              aria-pressed={isOn}
              onClick={() => toggle(network)}
            >
              <NetworkBadge network={network} size={20} off={!isOn} />
              <span aria-hidden="true">{provider}</span>
            </button>
          );
        })}
      </div>
      {connect.error && <FaultBanner fault={connect.error} title="Not connected" />}
      <div className="row wrap">
        <MainButton
          loading={connect.isPending}
          reason={selection.length === 0 ? 'Choose at least one network.' : undefined}
          onClick={() => connect.mutate()}
        >
          {selection.length === 0 ? 'Connect' : `Connect ${count(selection.length, 'sandbox account')}`}
        </MainButton>
      </div>
    </>
  );
};
