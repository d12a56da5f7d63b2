import { useEffect, useState } from 'react';
import { useNetworks } from '#web/networks.ts';
import { NetworkBadge } from '#web/parts/network-badge.tsx';
import { setOption } from './draft.ts';
import { OptionField } from './option-field.tsx';
import styles from './options-card.module.css';
import { useEditor } from './use-editor.ts';

/** Networks with required options come first. */
export const OptionsCard = ({ bare = false }: { bare?: boolean }) => {
  const { chosen, version, side, save, optionsOf, choicesOf, whyDisabled, withLimitsOf, editSide, readOnly } =
    useEditor();
  const networks = useNetworks();
  const account = chosen.find(({ id }) => id === version);
  const networksWithOptions = [...new Set((account ? [account] : chosen).map(({ network }) => network))].filter(
    (network) => optionsOf(network).length > 0,
  );
  const needs = (network: string) => optionsOf(network).some(({ required }) => required);
  const ordered = [...networksWithOptions.filter(needs), ...networksWithOptions.filter((network) => !needs(network))];
  const [picked, setPicked] = useState<string>();
  useReveal((network) => setPicked(network), ordered);
  const open = ordered.find((network) => network === picked) ?? ordered[0];
  if (open === undefined) return null;
  const options = optionsOf(open);
  const sorted = [...options.filter(({ required }) => required), ...options.filter(({ required }) => !required)];
  const first = chosen.find(({ network }) => network === open);
  const note = account ? `for ${networks.of(open).name} alone` : 'for all accounts of a network';
  return (
    <section className={bare ? undefined : `card ${styles.card}`} aria-label="Options">
      <header className={styles.head} data-bare={bare || undefined}>
        {!bare && <h2 className={styles.title}>Options</h2>}
        {!bare && <span className="caption text-2">{note}</span>}
        <span className={styles.badges}>
          {ordered.map((network) => (
            <button
              key={network}
              type="button"
              className={styles.badge}
              aria-pressed={network === open}
              onClick={() => setPicked(network)}
            >
              <NetworkBadge network={network} size={20} isColored={network === open} />
            </button>
          ))}
        </span>
      </header>
      {sorted.map((option) => (
        <OptionField
          key={`${version} ${option.key}`}
          option={(first && withLimitsOf(first, option)) ?? option}
          choices={(first && choicesOf(first, option.key)) ?? option.choices}
          value={side.options[option.key] ?? ''}
          disabled={first && whyDisabled(first, option.key)}
          inherited={version === undefined ? undefined : save.draft.original.options[option.key]}
          readOnly={readOnly}
          onChange={(value) => editSide(setOption(option.key, value))}
        />
      ))}
    </section>
  );
};

/** Switches networks when a check links to an option of another one. */
const useReveal = (show: (network: string) => void, networks: readonly string[]) => {
  useEffect(() => {
    const showNetwork = (event: Event) => {
      const field = String((event as CustomEvent<string>).detail);
      const network = networks.find((one) => field.startsWith(`editor-option-${one}.`));
      if (network) show(network);
    };
    window.addEventListener('editor-reveal', showNetwork);
    return () => window.removeEventListener('editor-reveal', showNetwork);
  });
};
