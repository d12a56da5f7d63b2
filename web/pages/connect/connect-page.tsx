import { Button } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { isPosthornError } from '#generated/app-client';
import { usePermissions } from '#web/base/session.ts';
import { FaultBanner } from '#web/parts/fault-banner.tsx';
import { PageHeader } from '#web/parts/page-header.tsx';
import { Column } from '#web/parts/section.tsx';
import { WhoMay } from '#web/parts/who-may.tsx';
import styles from './connect.module.css';

export const ConnectPage = ({ title, children }: { title: string; children: React.ReactNode }) => {
  const { canManage } = usePermissions();
  return (
    <>
      <PageHeader crumb={{ label: 'Social accounts', link: { to: '/accounts' } }} title={title} />
      <Column width="narrow">
        <div className={styles.step}>
          {canManage ? (
            children
          ) : (
            <>
              <p>
                <WhoMay act="connect accounts" />
              </p>
              <Ways />
            </>
          )}
        </div>
      </Column>
    </>
  );
};

export const TakingThere = ({ provider }: { provider: string }) => (
  <p role="status" className="text-2">
    Taking you to {provider}…
  </p>
);

/** Final errors offer no retry. `onAgain` repeats a change, `onRetry` a read. */
export const NotConnected = ({
  fault,
  onAgain,
  onRetry,
}: {
  fault: unknown;
  onAgain?: () => void;
  onRetry?: () => void;
}) => {
  const isFinal = isPosthornError(fault, 'NotFound') || isPosthornError(fault, 'Forbidden');
  return (
    <>
      <FaultBanner fault={fault} title="Not connected" {...(onRetry && !isFinal && { onRetry })} />
      <Ways>
        {onAgain && !isFinal && (
          <Button variant="ink" onClick={onAgain}>
            Try again
          </Button>
        )}
      </Ways>
    </>
  );
};

const Ways = ({ children }: { children?: React.ReactNode }) => (
  <div className="row wrap">
    {children}
    <Button component={Link} to="/accounts">
      Back to the accounts
    </Button>
  </div>
);
