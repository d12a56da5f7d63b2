import { ActionIcon, Drawer } from '@mantine/core';
import { CircleAlert, Eye, ImagePlus, SlidersHorizontal } from 'lucide-react';
import { useEffect, useState } from 'react';
import { useNetworks } from '#web/base/networks.ts';
import { CheckSummary } from './check-list.tsx';
import { PublishButton, ScheduleButton } from './editor-header.tsx';
import { OptionsCard } from './options-card.tsx';
import styles from './phone-bar.module.css';
import { useEditor } from './use-editor.ts';
import { fields } from './use-reveal.ts';
import type { Sending } from './use-sending.ts';

export const PhoneBar = ({
  sending,
  item,
  onPreview,
}: {
  sending: Sending;
  /** The item focused last. */
  item: number;
  onPreview: () => void;
}) => {
  const { checks, readOnly, save } = useEditor();
  const networks = useNetworks();
  const [options, setOptions] = useState(false);
  const [revealed, setRevealed] = useState<string>();
  useRevealedOption((field) => {
    setRevealed(field);
    setOptions(true);
  });
  const [broken, ...others] = checks.filter(({ tone }) => tone === 'red');
  const names = broken?.networks.map((network) => networks.of(network).name) ?? [];
  return (
    <div className={styles.bar}>
      <div className="row">
        {/* The status wraps the button: inside it, changing text would not be part of the button's name. */}
        <div className={styles.state} role="status">
          <button type="button" className={styles.checks} onClick={onPreview}>
            {broken ? (
              <span className={styles.broken}>
                <CircleAlert size={16} aria-hidden="true" />
                <span className="one-line">
                  {names.length > 0 && `${names.join(', ')}: `}
                  {broken.text}
                </span>
                {others.length > 0 && <span className="number">+{others.length}</span>}
              </span>
            ) : (
              <CheckSummary withIcon />
            )}
          </button>
        </div>
        <button type="button" className={styles.preview} onClick={onPreview}>
          <Eye size={16} aria-hidden="true" /> Preview
        </button>
      </div>
      {!readOnly && (
        <div className="row">
          <ActionIcon
            variant="default"
            size={44}
            aria-label="Add media to this item"
            onClick={() => document.getElementById(fields.media(item))?.click()}
          >
            <ImagePlus size={19} strokeWidth={1.75} aria-hidden="true" />
          </ActionIcon>
          <ActionIcon variant="default" size={44} aria-label="Options" onClick={() => setOptions(true)}>
            <SlidersHorizontal size={19} strokeWidth={1.75} aria-hidden="true" />
          </ActionIcon>
          {save.base?.status === 'Failed' ? (
            <PublishButton sending={sending} wide />
          ) : (
            <ScheduleButton sending={sending} wide />
          )}
        </div>
      )}
      <Drawer
        opened={options}
        onClose={() => {
          setOptions(false);
          setRevealed(undefined);
        }}
        title="Options of the networks"
        position="bottom"
        size="85%"
      >
        <OptionsCard revealed={revealed} />
      </Drawer>
    </div>
  );
};

/** The options are not on the page until their sheet opens. */
const useRevealedOption = (open: (field: string) => void) => {
  useEffect(() => {
    const reveal = (event: Event) => {
      const field = String((event as CustomEvent<string>).detail);
      if (field.startsWith(fields.option(''))) open(field);
    };
    window.addEventListener('editor-reveal', reveal);
    return () => window.removeEventListener('editor-reveal', reveal);
  });
};
