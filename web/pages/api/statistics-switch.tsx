import { Switch } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useId, useState } from 'react';
import { app } from '#web/api.ts';
import { FaultBanner } from '#web/parts/fault.tsx';
import { keys } from '#web/queries.ts';
import { useMay, useWorkspace } from '#web/session.ts';
import styles from './api.module.css';

/** Two tools more in tools/list, for every client of the workspace. */
export const StatisticsSwitch = () => {
  const client = useQueryClient();
  const { statisticsTools } = useWorkspace();
  const { own } = useMay();
  const [running, setRunning] = useState(false);
  const [fault, setFault] = useState<unknown>();
  const [label, help] = [useId(), useId()];
  const change = async (on: boolean) => {
    setRunning(true);
    setFault(undefined);
    try {
      client.setQueryData(keys.session, await app.changeWorkspace({ statisticsTools: on }));
    } catch (error) {
      setFault(error);
    } finally {
      setRunning(false);
    }
  };
  return (
    <section className={`card ${styles.switch}`}>
      <div>
        <h2 id={label}>Statistics over MCP</h2>
        <p id={help} className="small text-2">
          Clients may call posts_metrics and analytics_summary.{' '}
          {own ? 'Owners decide.' : `It is ${statisticsTools ? 'on' : 'off'}; owners decide.`}
        </p>
        {fault !== undefined && <FaultBanner fault={fault} title="Not changed" />}
      </div>
      {own && (
        <Switch
          checked={statisticsTools}
          disabled={running}
          aria-labelledby={label}
          aria-describedby={help}
          onChange={(event) => change(event.currentTarget.checked)}
        />
      )}
    </section>
  );
};
