import { Eye, Pencil, Stamp } from 'lucide-react';
import { Section } from '#web/parts/section.tsx';
import styles from './api.module.css';

const lines = [
  { icon: Eye, what: 'Read posts, accounts, limits, media', when: 'at once' },
  { icon: Pencil, what: 'Write and change drafts', when: 'at once' },
  { icon: Stamp, what: 'Schedule, publish, delete, disconnect', when: 'asks you first', isAsked: true },
];

export const ClientPermissions = () => (
  <Section title="What a client may do">
    <ul className={styles.rows}>
      {lines.map(({ icon: Icon, what, when, isAsked }) => (
        <li key={what} className={styles.may} data-asked={isAsked}>
          <Icon size={17} strokeWidth={1.75} aria-hidden="true" />
          {what}
          <span>{when}</span>
        </li>
      ))}
    </ul>
  </Section>
);
