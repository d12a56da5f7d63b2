import { Button } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { ArrowDownUp } from 'lucide-react';
import { Section } from '#web/parts/section.tsx';
import styles from './workspace.module.css';

export const Transfer = () => (
  <Section title="Import and export" card>
    <div className={styles.row}>
      <span className={styles.text}>
        <span className={styles.name}>Posts as files</span>
        <span className="small text-3">Bring posts from a CSV or JSON file, or take yours with you.</span>
      </span>
      <Button
        size="xs"
        renderRoot={(props) => <Link to="/settings/transfer" {...props} />}
        leftSection={<ArrowDownUp size={14} aria-hidden="true" />}
      >
        Open
      </Button>
    </div>
  </Section>
);
