import { Switch } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useId } from 'react';
import { app } from '#web/base/api.ts';
import { keys } from '#web/base/queries.ts';
import { usePermissions, useWorkspace } from '#web/base/session.ts';
import { useOptimisticChange, usePendingChanges } from '#web/parts/use-optimistic-change.ts';
import styles from './api.module.css';

const key = ['statistics tools'];

/** Adds two tools to tools/list for every client of the workspace. */
export const StatisticsSwitch = () => {
  const client = useQueryClient();
  const { statisticsTools } = useWorkspace();
  const { isOwner } = usePermissions();
  const [label, help] = [useId(), useId()];
  const { mutate } = useOptimisticChange({
    key,
    send: (on: boolean) => app.changeWorkspace({ statisticsTools: on }),
    onSuccess: async (session) => {
      await client.cancelQueries({ queryKey: keys.session });
      client.setQueryData(keys.session, session);
      // The cancelled query may have been the one that would have found that the session has ended.
      void client.invalidateQueries({ queryKey: keys.session });
    },
  });
  const isOn = usePendingChanges<boolean>(key).at(-1) ?? statisticsTools;
  return (
    <section className={`card ${styles.switch}`}>
      <div>
        <h2 id={label} className="subtitle">
          Statistics over MCP
        </h2>
        <p id={help} className="small text-2">
          Clients may call posts_metrics and analytics_summary.{' '}
          {isOwner ? 'Owners decide.' : `It is ${statisticsTools ? 'on' : 'off'}; owners decide.`}
        </p>
      </div>
      {isOwner && (
        <Switch
          checked={isOn}
          aria-labelledby={label}
          aria-describedby={help}
          onChange={(event) => mutate(event.currentTarget.checked)}
        />
      )}
    </section>
  );
};
