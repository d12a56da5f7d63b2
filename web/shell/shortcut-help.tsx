import { Modal } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { Kbd } from '#web/parts/kbd.tsx';
import { useShortcutsOn } from '#web/parts/shortcuts.ts';
import styles from './shortcut-help.module.css';

const groups: readonly [title: string, keys: readonly [keys: string, does: string][]][] = [
  [
    'Anywhere',
    [
      ['⌘ K', 'Search or jump to'],
      ['C', 'New post'],
      ['/', 'Search'],
      ['?', 'This list'],
      ['F6', 'To the messages and back'],
    ],
  ],
  [
    'Go to',
    [
      ['G H', 'Home'],
      ['G P', 'Posts'],
      ['G C', 'Calendar'],
      ['G A', 'Approvals'],
      ['G M', 'Media'],
      ['G L', 'Analytics'],
      ['G S', 'Settings'],
    ],
  ],
  [
    'Lists',
    [
      ['J K', 'Next, previous'],
      ['↵', 'Open'],
      ['X', 'Select'],
      ['D', 'Duplicate'],
      ['⌫', 'Delete'],
    ],
  ],
  [
    'Editor',
    [
      ['⌘ ↵', 'Publish now'],
      ['⌘ ⇧ ↵', 'Schedule'],
      ['Alt 1–9', 'Version tabs'],
    ],
  ],
  [
    'Approvals',
    [
      ['A', 'Approve the card in focus'],
      ['R', 'Reject the card in focus'],
    ],
  ],
  [
    'Calendar',
    [
      ['[ ]', 'Earlier, later'],
      ['T', 'Today'],
      ['← ↑ ↓ →', 'From post to post'],
      ['M', 'Move the post in focus'],
    ],
  ],
];

const ShortcutHelp = ({ onClose }: { onClose: () => void }) => {
  const areShortcutsOn = useShortcutsOn();
  return (
    <Modal opened onClose={onClose} title="Keyboard shortcuts" size={640}>
      <div className={styles.groups}>
        {groups.map(([title, keys]) => (
          <section key={title}>
            <h3 className={styles.title}>{title}</h3>
            <dl>
              {keys.map(([key, does]) => (
                <div key={key} className={styles.line}>
                  <dt>
                    <span className="hidden">{key}</span>
                    <Kbd keys={key} />
                  </dt>
                  <dd>{does}</dd>
                </div>
              ))}
            </dl>
          </section>
        ))}
      </div>
      <p className="small text-3" style={{ marginTop: 16 }}>
        Single keys are {areShortcutsOn ? 'on' : 'off'}.{' '}
        <Link to="/settings/profile" onClick={onClose}>
          Change it in your profile
        </Link>
      </p>
    </Modal>
  );
};

export default ShortcutHelp;
