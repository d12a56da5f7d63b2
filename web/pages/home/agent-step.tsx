import { Button } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { Plug } from 'lucide-react';
import { useState } from 'react';
import { CopyField } from '#web/parts/copy.tsx';
import styles from './first-run.module.css';

/** The address, and lines that are ready to be copied. Signing in happens in the browser, so there is no secret here. */
export const AgentStep = () => {
  const [shown, setShown] = useState(false);
  const address = `${location.origin}/mcp`;
  const file = JSON.stringify({ mcpServers: { posthorn: { url: address } } }, null, 2);
  return (
    <>
      <div className={styles.buttons}>
        <Button
          leftSection={<Plug size={16} aria-hidden="true" />}
          aria-expanded={shown}
          onClick={() => setShown(!shown)}
        >
          {shown ? 'Hide the config' : 'Show the config'}
        </Button>
        <Link to="/settings/api" className={styles.link}>
          API and MCP
        </Link>
      </div>
      {shown && (
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
