import { ActionIcon, Button, Progress } from '@mantine/core';
import { Check, CircleAlert, Upload as UploadIcon, X } from 'lucide-react';
import { formatBytes } from '#web/parts/number.ts';
import styles from './upload-list.module.css';
import type { Upload } from './use-uploads.ts';

/** An invalid file fails every time; a URL may answer on a retry. */
const isRefused = (fault: Upload['fault']) => fault !== undefined && /^file /.test(fault.message);

export const UploadList = ({
  uploads,
  onAgain,
  onDismiss,
}: {
  uploads: readonly Upload[];
  onAgain: (id: number) => void;
  onDismiss: (id: number) => void;
}) => (
  <ul className={`card ${styles.list}`} aria-label="Uploads">
    {uploads.map(({ id, name, bytes, share, state, fault }) => {
      const Icon = state === 'failed' ? CircleAlert : state === 'done' ? Check : UploadIcon;
      return (
        <li key={id} className={styles.row} data-state={state}>
          <Icon size={16} aria-hidden="true" />
          <div className={styles.text}>
            <p className={styles.name}>
              <span className="one-line" dir="auto">
                {name}
              </span>
              {bytes !== undefined && <span className="caption text-3 number">{formatBytes(bytes)}</span>}
            </p>
            {state === 'failed' && (
              <p className={`small ${styles.fault}`} role="alert">
                Not uploaded. {fault?.message.replace(/^file /, 'The file ')}
                {fault?.requestId && !isRefused(fault) && (
                  <span className="caption text-3">
                    {' '}
                    Request <code>{fault.requestId}</code>
                  </span>
                )}
              </p>
            )}
            {state === 'sending' && (
              <Progress
                size={4}
                color="var(--chart-1)"
                value={(share ?? 1) * 100}
                animated={share === undefined || share === 1}
                aria-label={`Upload of ${name}`}
              />
            )}
          </div>
          {state === 'waiting' && <span className="caption text-3">Waiting</span>}
          {state === 'sending' && (
            <span className="caption text-3 number">
              {share === undefined ? 'Fetching' : share === 1 ? 'Checking' : `${Math.floor(share * 100)}%`}
            </span>
          )}
          {state === 'done' && <span className="caption text-3">Uploaded</span>}
          {state === 'failed' && (
            <>
              {!isRefused(fault) && (
                <Button size="xs" onClick={() => onAgain(id)}>
                  Try again
                </Button>
              )}
              <ActionIcon size={28} aria-label={`Dismiss ${name}`} onClick={() => onDismiss(id)}>
                <X size={16} aria-hidden="true" />
              </ActionIcon>
            </>
          )}
        </li>
      );
    })}
  </ul>
);
