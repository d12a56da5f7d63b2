import { Button, Checkbox } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { app } from '#web/base/api.ts';
import { handleOf } from '#web/base/networks.ts';
import { keys } from '#web/base/queries.ts';
import { usePermissions } from '#web/base/session.ts';
import styles from '#web/pages/connect/connect.module.css';
import { ConnectPage, NotConnected } from '#web/pages/connect/connect-page.tsx';
import { useContinueTo } from '#web/pages/connect/use-connect.ts';
import { FaultBanner } from '#web/parts/fault-banner.tsx';
import { MainButton } from '#web/parts/main-button.tsx';
import { SkeletonRows } from '#web/parts/skeleton-rows.tsx';

/** Chooses among the pages that one sign-in gives access to. */
const Choose = () => {
  const { id } = useParams({ from: '/shell/connect/choose/$id' });
  const { canManage } = usePermissions();
  const { data, error, refetch } = useQuery({
    queryKey: keys.choices(id),
    queryFn: ({ signal }) => app.listChoices({ id }, { signal }),
    enabled: canManage,
    staleTime: Number.POSITIVE_INFINITY,
  });
  const [chosen, setChosen] = useState<readonly string[]>([]);
  const continueTo = useContinueTo();
  const connect = useMutation({
    mutationFn: () => app.chooseAccounts({ id, ids: [...chosen] }),
    onSuccess: ({ next }) => continueTo(next),
  });
  return (
    <ConnectPage title={`Connect ${data?.provider ?? 'an account'}`}>
      {error && <NotConnected fault={error} onRetry={() => void refetch()} />}
      {!data && !error && <SkeletonRows rows={3} />}
      {data && (
        <form
          className="fields"
          onSubmit={(event) => {
            event.preventDefault();
            if (chosen.length > 0) connect.mutate();
          }}
        >
          <Checkbox.Group
            label="Which of these should Posthorn publish to?"
            value={[...chosen]}
            onChange={setChosen}
            styles={{ label: { marginBottom: 8 } }}
          >
            <ul className="card">
              {data.accounts.map((account) => (
                <li key={account.id} className="divided">
                  {/* biome-ignore lint/a11y/noLabelWithoutControl: the checkbox is inside */}
                  <label className={styles.choice}>
                    <Checkbox value={account.id} />
                    <span className="one-line" dir="auto">
                      {account.name}{' '}
                      {handleOf(account) !== account.name && <span className="text-3">{handleOf(account)}</span>}
                    </span>
                  </label>
                </li>
              ))}
            </ul>
          </Checkbox.Group>
          {connect.error && <FaultBanner fault={connect.error} title="Not connected" />}
          <div className="row wrap">
            <MainButton
              type="submit"
              loading={connect.isPending}
              reason={chosen.length === 0 ? 'Choose at least one.' : undefined}
              onClick={() => undefined}
            >
              Connect
            </MainButton>
            <Button component={Link} to="/accounts" variant="quiet">
              Cancel
            </Button>
          </div>
        </form>
      )}
    </ConnectPage>
  );
};

export default Choose;
