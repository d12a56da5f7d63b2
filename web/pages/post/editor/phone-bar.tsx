import { ActionIcon, Drawer } from '@mantine/core';
import { Eye, ImagePlus, SlidersHorizontal } from 'lucide-react';
import { useState } from 'react';
import { useNetworks } from '#web/networks.ts';
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
  const broken = checks.filter(({ tone }) => tone === 'red').flatMap((check) => check.networks);
  const names = [...new Set(broken)].map((network) => networks.of(network).name);
  return (
    <div className={styles.bar}>
      <div className={styles.line}>
        <button type="button" className={styles.checks} onClick={onPreview}>
          <CheckSummary withIcon />
          {names.length > 0 && <span className={`one-line ${styles.names}`}>: {names.join(', ')}</span>}
        </button>
        <button type="button" className={styles.preview} onClick={onPreview}>
          <Eye size={16} aria-hidden="true" /> Preview
        </button>
      </div>
      {!readOnly && (
        <div className={styles.line}>
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
        onClose={() => setOptions(false)}
        title="Options of the networks"
        position="bottom"
        size="85%"
      >
        <OptionsCard />
      </Drawer>
    </div>
  );
};
