import { Button, Select, Switch } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { PlanSandboxFaultInput, ReadSandboxOutput } from '#generated/app-client';
import { app } from '#web/base/api.ts';
import { keys } from '#web/base/queries.ts';
import { usePermissions } from '#web/base/session.ts';
import { Section } from '#web/parts/section.tsx';
import { useOptimisticChange, usePendingChanges } from '#web/parts/use-optimistic-change.ts';
import { usePageSearch } from '#web/parts/use-page-search.ts';
import { WhoMay } from '#web/parts/who-may.tsx';
import { causeOf, formatTimes, type Moment, momentLabels, moments, titleOf } from './fault-texts.ts';
import styles from './sandbox.module.css';

const key = ['planned fault'];
const repeatChoices = [1, 3, 10];

export const Faults = ({ sandbox: { networks, faults } }: { sandbox: ReadSandboxOutput }) => {
  const { canManage } = usePermissions();
  const [{ network: only }] = usePageSearch<'network'>();
  const [chosenNetwork, setChosenNetwork] = useState<string>();
  const [moment, setMoment] = useState<Moment>('publish');
  const [times, setTimes] = useState(1);
  const plan = usePlan();
  const pending = usePendingChanges<PlanSandboxFaultInput>(key);
  const network = networks.find((one) => one.network === (chosenNetwork ?? only)) ?? networks[0];
  if (network === undefined) return null;
  const isMeant = (one: PlanSandboxFaultInput) => one.network === network.network && one.moment === moment;
  const planned = pending.findLast(isMeant) ?? network.planned.find((one) => one.moment === moment);
  return (
    <Section title="Faults" action={<span className={styles.note}>for the next calls</span>}>
      <Planned networks={networks} canRevoke={canManage} />
      {canManage ? (
        <>
          <div className={styles.choose}>
            <Select
              label="Network"
              data={networks.map(({ network: value, provider }) => ({ value, label: provider }))}
              value={network.network}
              onChange={(value) => setChosenNetwork(value ?? undefined)}
            />
            <Select
              label="When"
              data={moments.map((value) => ({ value, label: momentLabels[value] }))}
              value={moment}
              onChange={(value) => setMoment(value as Moment)}
            />
            <Select
              label="How often"
              data={repeatChoices.map((value) => ({ value: String(value), label: formatTimes(value) }))}
              value={String(times)}
              onChange={(value) => setTimes(Number(value))}
            />
          </div>
          <ul className={`card ${styles.faults}`}>
            {faults.map((one) => (
              <li key={one.fault}>
                <div className={styles.words}>
                  <p id={`fault-${one.fault}`}>{titleOf(one)}</p>
                  <p id={`cause-${one.fault}`} className="caption text-3">
                    {causeOf(one, moment)}
                  </p>
                </div>
                <Switch
                  aria-labelledby={`fault-${one.fault}`}
                  aria-describedby={`cause-${one.fault}`}
                  checked={planned?.fault === one.fault}
                  onChange={({ currentTarget: { checked } }) =>
                    plan.mutate({ network: network.network, moment, fault: checked ? one.fault : '', times })
                  }
                />
              </li>
            ))}
          </ul>
          <p className="caption text-3" style={{ marginTop: 8 }}>
            Or write <code>[sandbox:429]</code> anywhere in a post's text; <code>[sandbox:429!]</code> does it every
            time.
          </p>
        </>
      ) : (
        <p className="small text-2">
          <WhoMay act="plan faults" />
        </p>
      )}
    </Section>
  );
};

const Planned = ({ networks, canRevoke }: { networks: ReadSandboxOutput['networks']; canRevoke: boolean }) => {
  const plan = usePlan();
  const list = networks.flatMap(({ network, provider, planned }) =>
    planned.map((one) => ({ network, provider, ...one })),
  );
  if (list.length === 0) return null;
  return (
    <ul className={`card ${styles.faults} ${styles.planned}`} aria-label="Planned faults">
      {list.map(({ network, provider, moment, fault, times }) => (
        <li key={`${network} ${moment}`}>
          <div className={styles.words}>
            <p>
              {provider}: {titleOf({ fault, effect: fault })}
            </p>
            <p className="caption text-3">
              {momentLabels[moment]}, {formatTimes(times).toLowerCase()}
            </p>
          </div>
          {canRevoke && (
            <Button
              size="xs"
              loading={plan.isPending}
              onClick={() => plan.mutate({ network, moment, fault: '' })}
              aria-label={`Take back ${titleOf({ fault, effect: fault })} on ${provider}`}
            >
              Take back
            </Button>
          )}
        </li>
      ))}
    </ul>
  );
};

const usePlan = () => {
  const client = useQueryClient();
  return useOptimisticChange({
    key,
    send: (plan: PlanSandboxFaultInput) => app.planSandboxFault(plan),
    onSuccess: () => client.invalidateQueries({ queryKey: keys.sandbox }),
  });
};
