import { Button } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { Archive, KeyRound } from 'lucide-react';
import { Section } from '#web/parts/section.tsx';
import styles from './workspace.module.css';

/** For whoever set the server up. */
export const ServerLinks = () => (
  <Section title="This server" card>
    <div className={styles.row}>
      <span className={styles.text}>
        <span className={styles.name}>Backups</span>
        <span className="small text-3">All workspaces, every night, and how to restore one.</span>
      </span>
      <Button
        size="xs"
        renderRoot={(props) => <Link to="/settings/backups" {...props} />}
        leftSection={<Archive size={14} aria-hidden="true" />}
      >
        Open
      </Button>
    </div>
    <div className={styles.row}>
      <span className={styles.text}>
        <span className={styles.name}>Networks</span>
        <span className="small text-3">The credentials that each network gave you for Posthorn.</span>
      </span>
      <Button
        size="xs"
        renderRoot={(props) => <Link to="/settings/networks" {...props} />}
        leftSection={<KeyRound size={14} aria-hidden="true" />}
      >
        Open
      </Button>
    </div>
  </Section>
);
