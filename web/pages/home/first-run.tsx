import { Check } from 'lucide-react';
import { useId, useState } from 'react';
import { useNetworks } from '#web/base/networks.ts';
import { joinWithAnd } from '#web/parts/join-names.ts';
import { KeyHint } from '#web/parts/kbd.tsx';
import { Column } from '#web/parts/section.tsx';
import { useAccounts } from '#web/parts/use-accounts.ts';
import { AgentStep } from './agent-step.tsx';
import { ConnectStep, useIsConnecting } from './connect-step.tsx';
import styles from './first-run.module.css';
import { FirstSendOff } from './first-send-off.tsx';
import { PublishStep } from './publish-step.tsx';
import { SentPost } from './sent-post.tsx';
import type { Steps } from './use-first-run.ts';

/** Onboarding; only the next step is expanded. */
export const FirstRun = ({ steps, onHide }: { steps: Steps; onHide: () => void }) => {
  const networks = useNetworks();
  const { list } = useAccounts();
  const [sentId, setSentId] = useState<string>();
  const hasSandbox = networks.list.some(({ sandbox }) => sandbox);
  const { sent, wasAsked } = steps;
  const isConnecting = useIsConnecting();
  const hasAccount = steps.hasAccount && !isConnecting;
  const isSandbox = list.every(({ network }) => networks.list.some((one) => one.network === network && one.sandbox));
  const names = [...new Set(list.map(({ network }) => networks.of(network).name))];
  return (
    <Column width="narrow">
      <h2 className={styles.title}>Three steps, about two minutes</h2>
      <p className={styles.intro}>
        {hasSandbox
          ? 'A sandbox stands in for the networks, so nothing you try here reaches the public. Connect real accounts when you are ready.'
          : 'Connect an account, write, and decide what goes out.'}
      </p>
      <ol className={`card ${styles.steps}`}>
        <Step
          number={1}
          title="Connect an account"
          state={hasAccount ? 'done' : 'open'}
          text={
            hasAccount
              ? describeConnected(names, isSandbox)
              : hasSandbox
                ? 'Choose one or several. They are made for you in the sandbox.'
                : 'You post with your own accounts.'
          }
        >
          {!hasAccount && <ConnectStep hasSandbox={hasSandbox} />}
        </Step>
        <Step
          number={2}
          title="Publish your first post"
          state={sent ? 'done' : hasAccount ? 'open' : 'later'}
          text={sent ? <SentPost post={sent} /> : 'This one is written for you. Change it, or send it as it is.'}
        >
          {hasAccount && !sent && <PublishStep onSent={setSentId} />}
          {sentId !== undefined && sent?.id === sentId && <FirstSendOff postId={sentId} />}
        </Step>
        <Step
          number={3}
          title="Let an agent ask you"
          state={wasAsked ? 'done' : hasAccount && sent ? 'open' : 'later'}
          text="Give Claude Code, Cursor or any MCP client an address. It drafts; you approve each thing that goes out."
        >
          {hasAccount && sent && !wasAsked && <AgentStep />}
        </Step>
      </ol>
      <p className={styles.keys}>
        <KeyHint keys="C">new post</KeyHint>
        <KeyHint keys="⌘ K">go anywhere</KeyHint>
        <KeyHint keys="?">all shortcuts</KeyHint>
        <button type="button" className={styles.hide} onClick={onHide}>
          Hide this list
        </button>
      </p>
    </Column>
  );
};

const describeConnected = (names: readonly string[], isSandbox: boolean) =>
  names.length === 1
    ? `${isSandbox ? 'A sandbox account' : 'An account'} for ${names[0]} is connected.`
    : `${isSandbox ? 'Sandbox accounts' : 'Accounts'} for ${joinWithAnd(names)} are connected.`;

const Step = ({
  number,
  title,
  state,
  text,
  children,
}: {
  number: number;
  title: string;
  state: 'done' | 'open' | 'later';
  text: React.ReactNode;
  children?: React.ReactNode;
}) => {
  const id = useId();
  return (
    <li
      className={styles.step}
      data-state={state}
      aria-labelledby={id}
      aria-current={state === 'open' ? 'step' : undefined}
    >
      <span className={styles.number} aria-hidden="true">
        {state === 'done' ? <Check size={16} strokeWidth={2.25} /> : number}
      </span>
      <div className={styles.body}>
        <h3 id={id} className={styles.name}>
          {title}
          {state === 'done' && <span className="hidden">, done</span>}
        </h3>
        <div className={styles.text}>{text}</div>
        {children && <div className={styles.inside}>{children}</div>}
      </div>
    </li>
  );
};
