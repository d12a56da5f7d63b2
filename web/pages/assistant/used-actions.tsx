import { Check, ChevronDown, CircleX, LoaderCircle, Stamp } from 'lucide-react';
import { useId, useState } from 'react';
import { useZone } from '#web/base/session.ts';
import { useAccounts } from '#web/parts/use-accounts.ts';
import { detailOf, stepOf } from './action-details.ts';
import type { UsedAction } from './chat-messages.ts';
import styles from './used-actions.module.css';

const looks = {
  running: { icon: LoaderCircle, word: 'running' },
  done: { icon: Check, word: 'done' },
  failed: { icon: CircleX, word: 'refused' },
  waiting: { icon: Stamp, word: 'waits for you' },
} as const;

/** Tool calls as lines; each expands to its input and output. */
export const UsedActions = ({ actions }: { actions: readonly UsedAction[] }) => {
  const [open, setOpen] = useState<string>();
  const panel = useId();
  const openAction = actions.find(({ id }) => id === open);
  return (
    <div className={styles.used}>
      <ul className={styles.list} aria-label="Used actions">
        {actions.map((action) => (
          <li key={action.id}>
            <Line
              action={action}
              isOpen={action.id === open}
              panel={panel}
              onClick={() => setOpen(action.id === open ? undefined : action.id)}
            />
          </li>
        ))}
      </ul>
      {openAction && (
        <div id={panel} className={styles.panel}>
          <p className="caption text-3">
            Action <code>{openAction.name}</code>
          </p>
          <Json title="Input" value={openAction.input} />
          {openAction.state !== 'running' && (
            <Json title="Output" value={openAction.output ?? { error: openAction.fault }} />
          )}
        </div>
      )}
    </div>
  );
};

const Line = ({
  action,
  isOpen,
  panel,
  onClick,
}: {
  action: UsedAction;
  isOpen: boolean;
  panel: string;
  onClick: () => void;
}) => {
  const { icon: Icon, word } = looks[action.state];
  const detail = detailOf(action, useZone(), useAccounts().list);
  return (
    <button
      type="button"
      className={styles.line}
      data-state={action.state}
      aria-expanded={isOpen}
      aria-controls={isOpen ? panel : undefined}
      onClick={onClick}
    >
      <Icon className={styles.icon} size={14} aria-hidden="true" />
      <span>{stepOf(action.name)}</span>
      {detail && <span>{detail}</span>}
      <span className="hidden">, {word}</span>
      <ChevronDown className={styles.chevron} size={13} aria-hidden="true" />
    </button>
  );
};

const Json = ({ title, value }: { title: string; value: unknown }) => (
  <>
    <h3 className="caption text-3">{title}</h3>
    {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scroller must be reachable by keyboard */}
    <pre tabIndex={0}>{JSON.stringify(value, null, 2)}</pre>
  </>
);
