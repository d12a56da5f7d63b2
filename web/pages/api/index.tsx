import { Button } from '@mantine/core';
import { BookText, Plus } from 'lucide-react';
import { lazy, Suspense, useState } from 'react';
import type { NewToken } from '#generated/app-client';
import { useWorkspace } from '#web/base/session.ts';
import { PageHeader } from '#web/parts/page-header.tsx';
import { useFormDraft } from '#web/parts/use-form-draft.ts';
import styles from './api.module.css';
import { ClientPermissions } from './client-permissions.tsx';
import { Clients } from './clients.tsx';
import { ConnectClient } from './connect-client.tsx';
import { LeaveWarning, SecretCard } from './secret-card.tsx';
import { StatisticsSwitch } from './statistics-switch.tsx';
import { Tokens } from './tokens.tsx';
import { TryApi } from './try-api.tsx';

const CreateToken = lazy(() => import('./create-token.tsx'));

const ApiAndMcp = () => {
  const { name } = useWorkspace();
  const [isCreating, setIsCreating] = useFormDraft('new token', false);
  const [newToken, setNewToken] = useState<NewToken>();
  return (
    <>
      <PageHeader
        title="API and MCP"
        meta={`acts in ${name}`}
        actions={
          <>
            <Button
              className="desk-only"
              component="a"
              href="/docs"
              leftSection={<BookText size={15} aria-hidden="true" />}
            >
              API reference
            </Button>
            <Button
              variant="ink"
              leftSection={<Plus size={15} aria-hidden="true" />}
              onClick={() => setIsCreating(true)}
            >
              Create<span className="desk-only">&nbsp;token</span>
            </Button>
          </>
        }
      />
      <div className={styles.columns}>
        <div>
          {newToken && <SecretCard token={newToken} onStored={() => setNewToken(undefined)} />}
          <Tokens newId={newToken?.id} onRevoked={(id) => id === newToken?.id && setNewToken(undefined)} />
          <Clients />
          <p className={styles.small}>
            A token reads, drafts and uploads. It can ask to publish over MCP; only a person in this app can say yes.
          </p>
        </div>
        <div>
          <ConnectClient token={newToken?.token} />
          <TryApi />
          <ClientPermissions />
          <StatisticsSwitch />
        </div>
      </div>
      <LeaveWarning isShown={newToken !== undefined} />
      <Suspense>
        {isCreating && (
          <CreateToken onClose={() => setIsCreating(false)} onMade={setNewToken} isReplacing={newToken !== undefined} />
        )}
      </Suspense>
    </>
  );
};

export default ApiAndMcp;
