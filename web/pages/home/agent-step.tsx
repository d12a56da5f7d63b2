import { Button } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { Plug } from 'lucide-react';
import { useState } from 'react';
import { app } from '#web/base/api.ts';
import { CopyField } from '#web/parts/copy.tsx';
import { FaultBanner } from '#web/parts/fault-banner.tsx';
import styles from './first-run.module.css';
import { useSandboxAccounts } from './use-sandbox-accounts.ts';

/** No secrets here: MCP clients sign in through the browser. */
export const AgentStep = () => {
  const [isShown, setIsShown] = useState(false);
  const address = `${location.origin}/mcp`;
  const file = JSON.stringify({ mcpServers: { posthorn: { url: address } } }, null, 2);
  return (
    <>
      <div className="row wrap">
        <Button
          leftSection={<Plug size={16} aria-hidden="true" />}
          aria-expanded={isShown}
          onClick={() => setIsShown(!isShown)}
        >
          {isShown ? 'Hide the config' : 'Show the config'}
        </Button>
        <Pretend />
      </div>
      {isShown && (
        <dl className={styles.config}>
          <dt>Address</dt>
          <dd>
            <CopyField value={address} label="the address" />
          </dd>
          <dt>Claude Code</dt>
          <dd>
            <CopyField value={`claude mcp add --transport http posthorn ${address}`} label="the command" />
          </dd>
          <dt>Cursor, and others with a config file</dt>
          <dd>
            <CopyField value={file} label="the config" block />
          </dd>
        </dl>
      )}
    </>
  );
};

/** Demonstrates an approval without an agent. */
const Pretend = () => {
  const accounts = useSandboxAccounts();
  const navigate = useNavigate();
  const pretend = useMutation({
    mutationFn: () => app.pretendRequest({ accountIds: accounts.map(({ id }) => id) }),
    onSuccess: ({ cardId }) => navigate({ to: '/approvals/$id', params: { id: cardId } }),
  });
  if (accounts.length === 0) return null;
  return (
    <>
      <button type="button" className={styles.pretend} disabled={pretend.isPending} onClick={() => pretend.mutate()}>
        No client at hand? Pretend one asks
      </button>
      {pretend.error && <FaultBanner fault={pretend.error} title="Nothing was asked" />}
    </>
  );
};
