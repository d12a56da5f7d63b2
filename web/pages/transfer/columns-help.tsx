import { Button } from '@mantine/core';
import { Download } from 'lucide-react';
import { csvLine } from '#server/planning/transfer/csv';
import { saveCsv } from '#web/parts/save-file.ts';
import { useAccounts } from '#web/parts/use-accounts.ts';
import styles from './transfer.module.css';

const columns: readonly [name: string, meaning: React.ReactNode][] = [
  ['text', 'What the post says. The only column that has to be there.'],
  ['accounts', 'network:handle, one a line or with commas between them.'],
  [
    'time',
    '2026-11-19 08:30, or with an offset: 2026-11-19T08:30:00+01:00. The post only goes out then if you schedule it.',
  ],
  ['time zone', 'Such as Europe/Paris, for a time without an offset.'],
  ['labels', 'Names with commas between them. A label that does not exist is created.'],
  ['media', 'Public https addresses of images and videos, with spaces or lines between them.'],
  ['alt', 'Alternative texts, one a line, in the order of the media.'],
  ['options', 'key=value, one a line.'],
];

export const ColumnsHelp = () => {
  const { list } = useAccounts();
  const [first] = list;
  const sample = () => {
    const accounts = first ? `${first.network}:${first.handle}` : '';
    const lines = [
      columns.map(([name]) => name),
      ['The first post of the week', accounts, '2030-01-07 08:30', 'Europe/Paris', 'News', '', '', ''],
    ];
    saveCsv(lines.map(csvLine).join(''), 'posthorn-sample.csv');
  };
  return (
    <details className={styles.help}>
      <summary>Columns and formats</summary>
      <dl className={styles.columns}>
        {columns.map(([name, meaning]) => (
          <div key={name}>
            <dt>
              <code>{name}</code>
            </dt>
            <dd className="small text-2">{meaning}</dd>
          </div>
        ))}
      </dl>
      <p className="small text-2">
        Exports from Posthorn, files for Buffer’s bulk upload, and answers from the APIs of Postiz and Mixpost are
        recognised automatically.
      </p>
      <Button size="xs" leftSection={<Download size={14} aria-hidden="true" />} onClick={sample}>
        Download a sample
      </Button>
    </details>
  );
};
