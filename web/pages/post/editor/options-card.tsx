import { ChevronDown, ChevronRight } from 'lucide-react';
import { useEffect, useLayoutEffect, useState } from 'react';
import type { Account } from '#generated/app-client';
import { useNetworks } from '#web/base/networks.ts';
import { NetworkBadge } from '#web/parts/network-badge.tsx';
import { resultFor, setOption } from './draft.ts';
import { OptionField } from './option-field.tsx';
import { fitsMedia, summarizeOptions } from './option-summary.ts';
import styles from './options-card.module.css';
import { type Editor, useEditor } from './use-editor.ts';
import { fields } from './use-reveal.ts';

interface Line {
  readonly account: Account;
  readonly options: ReturnType<Editor['optionsOf']>;
  /** A required option without a value. */
  readonly needed: string | undefined;
  /** Empty if nothing is set. */
  readonly summary: string;
}

/** One line per network that needs an option or has one set. The others use their defaults. Lines expand in place. */
export const OptionsCard = ({
  revealed,
}: {
  /** Field of an option whose line is open. */ revealed?: string | undefined;
}) => {
  const editor = useEditor();
  const networks = useNetworks();
  const lines = linesOf(editor);
  const [opened, setOpened] = useState(() => networkOf(revealed, lines));
  useReveal((network) => setOpened(network), lines);
  useFocusOnMount(revealed);
  const isLine = ({ account, needed, summary }: Line) =>
    needed !== undefined || summary !== '' || account.network === opened || account.id === editor.version;
  const needy = lines.filter(({ needed }) => needed !== undefined);
  const shown = [...needy, ...lines.filter((line) => line.needed === undefined && isLine(line))];
  const usual = lines.filter((line) => !isLine(line));
  if (lines.length === 0) return null;
  return (
    <section className={styles.options} aria-label="Options">
      <ul>
        {shown.map((line) => (
          <OptionLine
            key={line.account.network}
            line={line}
            isOpen={line.account.network === opened}
            onToggle={() => setOpened(line.account.network === opened ? undefined : line.account.network)}
          />
        ))}
      </ul>
      {usual.length > 0 && (
        <div className={styles.usual}>
          {usual.map(({ account: { network } }) => (
            <button
              key={network}
              type="button"
              className={styles.badge}
              title={networks.of(network).name}
              onClick={() => {
                setOpened(network);
                focusLine(network);
              }}
            >
              <span className="hidden">Options of </span>
              <NetworkBadge network={network} size={20} />
            </button>
          ))}
          as usual
        </div>
      )}
    </section>
  );
};

/** One line per network. For the original, a network's first account represents all its accounts. */
const linesOf = ({ chosen, version, save, optionsOf, choicesOf, mediaOf }: Editor): Line[] => {
  const accounts = version === undefined ? chosen : chosen.filter(({ id }) => id === version);
  const first = accounts.filter(
    ({ network }, index) => accounts.findIndex((other) => other.network === network) === index,
  );
  return first.flatMap((account): Line[] => {
    const side = resultFor(save.draft, account.id);
    const values = version === undefined ? save.draft.original.options : side.options;
    // A value that no longer fits stays visible, so that it can be removed.
    const options = optionsOf(account.network).filter(
      (option) => (values[option.key] ?? '') !== '' || fitsMedia(option, side, mediaOf),
    );
    if (options.length === 0) return [];
    const needed = options.find(({ key, required, default: byDefault }) => required && !(values[key] || byDefault));
    const summary = summarizeOptions(options, values, (key) => choicesOf(account, key));
    return [{ account, options, needed: needed?.label, summary }];
  });
};

const OptionLine = ({ line, isOpen, onToggle }: { line: Line; isOpen: boolean; onToggle: () => void }) => {
  const { account, options, needed, summary } = line;
  const { version, side, save, choicesOf, whyDisabled, withLimitsOf, editSide, readOnly } = useEditor();
  const { name } = useNetworks().of(account.network);
  const sorted = [...options.filter(({ required }) => required), ...options.filter(({ required }) => !required)];
  return (
    <li className={styles.line}>
      <button
        type="button"
        id={lineId(account.network)}
        className={styles.head}
        aria-expanded={isOpen}
        aria-controls={isOpen ? `${lineId(account.network)}-fields` : undefined}
        onClick={onToggle}
      >
        <NetworkBadge network={account.network} size={20} />
        <span className={`one-line ${styles.name}`} aria-hidden="true">
          {name}
        </span>
        <span className={`one-line ${styles.summary}`} data-needed={needed !== undefined || undefined} dir="auto">
          {needed === undefined ? summary || 'As usual' : `${needed} is needed`}
        </span>
        {needed !== undefined && !isOpen ? (
          <span className={styles.act}>Choose</span>
        ) : isOpen ? (
          <ChevronDown size={16} aria-hidden="true" />
        ) : (
          <ChevronRight size={16} aria-hidden="true" />
        )}
      </button>
      {isOpen && (
        <div id={`${lineId(account.network)}-fields`} className={styles.fields}>
          {sorted.map((option) => (
            <OptionField
              key={`${version} ${option.key}`}
              accountId={account.id}
              option={withLimitsOf(account, option)}
              choices={choicesOf(account, option.key) ?? option.choices}
              value={side.options[option.key] ?? ''}
              disabled={whyDisabled(account, option.key)}
              inherited={version === undefined ? undefined : save.draft.original.options[option.key]}
              readOnly={readOnly}
              onChange={(value) => editSide(setOption(option.key, value))}
            />
          ))}
        </div>
      )}
    </li>
  );
};

const lineId = (network: string) => `editor-options-${network}`;

const focusLine = (network: string) => requestAnimationFrame(() => document.getElementById(lineId(network))?.focus());

/** The network whose option has this field. */
const networkOf = (field: string | undefined, lines: readonly Line[]): string | undefined =>
  lines.find(({ account }) => field?.startsWith(fields.option(`${account.network}.`)))?.account.network;

/** The sheet focuses the element with this attribute. Set on each render, because a list may replace the field. */
const useFocusOnMount = (field: string | undefined) => {
  useLayoutEffect(() => {
    if (field !== undefined) document.getElementById(field)?.setAttribute('data-autofocus', '');
  });
};

/** Opens the line when a check links to one of its options. */
const useReveal = (show: (network: string) => void, lines: readonly Line[]) => {
  useEffect(() => {
    const showNetwork = (event: Event) => {
      const network = networkOf(String((event as CustomEvent<string>).detail), lines);
      if (network !== undefined) show(network);
    };
    window.addEventListener('editor-reveal', showNetwork);
    return () => window.removeEventListener('editor-reveal', showNetwork);
  });
};
