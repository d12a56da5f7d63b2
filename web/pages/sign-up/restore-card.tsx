import { ActionIcon, Button, Progress, Textarea } from '@mantine/core';
import { Archive, ArchiveRestore, CircleCheck, X } from 'lucide-react';
import { useRef } from 'react';
import type { BackupContents } from '#contracts/backups';
import { fieldFault } from '#web/base/faults.ts';
import { formatDateTime } from '#web/base/time.ts';
import { Banner } from '#web/parts/banner.tsx';
import { DefinitionList } from '#web/parts/definition-list.tsx';
import { FaultBanner } from '#web/parts/fault-banner.tsx';
import { count, formatBytes } from '#web/parts/number.ts';
import { TryFault } from '#web/parts/try-fault.tsx';
import styles from './sign-up.module.css';
import { type Restore, useRestore } from './use-restore.ts';

export const RestoreCard = ({ code, needsCode }: { code: string; needsCode: boolean }) => {
  const restore = useRestore(code.trim());
  const isCodeMissing = needsCode && code.trim() === '';
  const isShownAtField = restore.step === 'look' && keyFault(restore) !== undefined;
  return (
    <section className={`card ${styles.card}`} aria-labelledby="restore">
      <span className={styles.tile}>
        <ArchiveRestore size={20} aria-hidden="true" />
      </span>
      <h2 id="restore" className={styles.heading}>
        Restore a backup
      </h2>
      <p className={styles.text}>Everything as it was: people, posts, pictures, accounts, decisions.</p>
      <div className={styles.body}>
        {restore.problem && (
          <Banner tone="red" title="The last restore changed nothing">
            {restore.problem}
          </Banner>
        )}
        {restore.readFault !== undefined && (
          <FaultBanner
            fault={restore.readFault}
            title="Whether a backup is being restored is not known"
            onRetry={restore.read}
          />
        )}
        {restore.fault !== undefined && !isShownAtField && <TryFault fault={restore.fault} title="Not restored" />}
        <Step restore={restore} isCodeMissing={isCodeMissing} />
      </div>
    </section>
  );
};

const Step = ({ restore, isCodeMissing }: { restore: Restore; isCodeMissing: boolean }) => {
  switch (restore.step) {
    case 'choose':
      return <Choose restore={restore} isCodeMissing={isCodeMissing} />;
    case 'upload':
      return <Upload restore={restore} />;
    case 'look':
      return <Look restore={restore} />;
    case 'run':
      return (
        <div role="status">
          <p>
            <strong>Being restored.</strong> Leave this page open: it leads to the sign-in when it is done.
          </p>
          <p className={styles.note}>{restore.progress ?? 'Posthorn stops its work first'}</p>
        </div>
      );
  }
};

const Choose = ({ restore, isCodeMissing }: { restore: Restore; isCodeMissing: boolean }) => {
  const input = useRef<HTMLInputElement>(null);
  return (
    <>
      <input
        ref={input}
        type="file"
        hidden
        accept=".tar"
        aria-label="Backup"
        onChange={(event) => {
          const [file] = event.currentTarget.files ?? [];
          if (file) restore.upload(file);
          event.currentTarget.value = '';
        }}
      />
      <Button
        size="lg"
        leftSection={<Archive size={16} aria-hidden="true" />}
        aria-disabled={isCodeMissing}
        onClick={() => !isCodeMissing && input.current?.click()}
      >
        Choose a backup
      </Button>
      <p className={styles.note}>
        {isCodeMissing
          ? 'Type in the code first.'
          : 'A .tar file of the folder backups, or of npx posthorn backup. Nothing is changed before you confirm.'}
      </p>
    </>
  );
};

const FileLine = ({ restore, children }: { restore: Restore; children: React.ReactNode }) => (
  <div className={styles.file}>
    <Archive size={20} aria-hidden="true" />
    <p className={styles.name}>
      {restore.file?.name}
      <br />
      <span className={styles.note}>{children}</span>
    </p>
    <ActionIcon variant="quiet" aria-label="Choose another backup" onClick={restore.reset}>
      <X size={16} aria-hidden="true" />
    </ActionIcon>
  </div>
);

const Upload = ({ restore }: { restore: Restore }) => {
  const percent = Math.floor(restore.share * 100);
  return (
    <>
      <FileLine restore={restore}>{formatBytes(restore.file?.size ?? 0)}</FileLine>
      <Progress value={percent} aria-label="Upload" size="sm" />
      <p className={styles.note} role="status">
        {percent < 100 ? 'Uploading' : 'Checking every part of it'}
      </p>
    </>
  );
};

const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;

const Look = ({ restore }: { restore: Restore }) => {
  const { backup } = restore;
  if (backup === undefined) return null;
  const { contents, createdAt, posthorn, withoutMedia, needsKey, bytes } = backup;
  return (
    <>
      <FileLine restore={restore}>
        {formatBytes(bytes)}
        {needsKey ? ', needs its key' : ', opens with the key here'}
      </FileLine>
      <DefinitionList
        items={[
          ['From', `${formatDateTime(createdAt, zone)}, version ${posthorn}`],
          [
            'Holds',
            contents &&
              [
                count(contents.people, 'person', 'people'),
                count(contents.posts, 'post'),
                count(contents.files, 'file'),
                count(contents.accounts, 'account'),
              ].join(', '),
          ],
          [
            'Whole',
            <span key="whole" className={styles.good}>
              <CircleCheck size={16} aria-hidden="true" /> yes, all parts are there
            </span>,
          ],
          [
            'Media',
            withoutMedia
              ? 'None: it is a dump before an update. Copy the old folder media into the data folder.'
              : undefined,
          ],
          ['Goes out', `Nothing, until you say so.${contents ? ` ${waits(contents)}` : ''}`],
        ]}
      />
      {needsKey && (
        <Textarea
          label="Encryption key"
          description="The content of secrets.json in the old data folder, or the value of ENCRYPTION_KEYS."
          autosize
          minRows={2}
          maxRows={6}
          autoComplete="off"
          spellCheck={false}
          error={keyFault(restore)}
          value={restore.keys}
          onChange={(event) => restore.setKeys(event.currentTarget.value)}
        />
      )}
      <Button size="lg" variant="ink" loading={restore.isAsking} onClick={restore.begin}>
        Restore
      </Button>
    </>
  );
};

const keyFault = ({ fault, backup }: Restore) =>
  backup?.needsKey ? fieldFault(fault, 'keys', 'The encryption key') : undefined;

/** A backup of an older release does not say how many posts were being published. */
const waits = ({ scheduled, publishing = 0 }: BackupContents) =>
  [
    `${scheduled === 0 ? 'No post is' : scheduled === 1 ? '1 post is' : `${count(scheduled, 'post')} are`} scheduled.`,
    ...(publishing === 0
      ? []
      : [publishing === 1 ? '1 was being published.' : `${count(publishing, 'post')} were being published.`]),
  ].join(' ');
