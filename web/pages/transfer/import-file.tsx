import { Button, Progress } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { FileUp } from 'lucide-react';
import { useCallback, useRef, useState } from 'react';
import { app } from '#web/base/api.ts';
import { keys } from '#web/base/queries.ts';
import { useZone } from '#web/base/session.ts';
import { AccountChip } from '#web/parts/account-chip.tsx';
import { FaultBanner } from '#web/parts/fault-banner.tsx';
import { Section } from '#web/parts/section.tsx';
import { useAccounts } from '#web/parts/use-accounts.ts';
import { useDrop } from '#web/parts/use-drop.ts';
import { ZoneSelect } from '#web/parts/zone-select.tsx';
import { ColumnsHelp } from './columns-help.tsx';
import styles from './transfer.module.css';

/** Time zone and accounts are for rows that name none. */
export const ImportFile = () => {
  const client = useQueryClient();
  const navigate = useNavigate();
  const { list } = useAccounts();
  const own = useZone();
  const [timeZone, setTimeZone] = useState(own);
  const [accountIds, setAccountIds] = useState<readonly string[]>([]);
  const [share, setShare] = useState<number>();
  const picker = useRef<HTMLInputElement>(null);
  const { mutate, error, isPending, variables } = useMutation({
    mutationFn: (file: File) =>
      app.checkImport(
        { timeZone, accountIds: accountIds.join(','), file },
        { onProgress: ({ sentBytes, totalBytes }) => setShare(totalBytes > 0 ? sentBytes / totalBytes : 1) },
      ),
    onMutate: () => setShare(0),
    onSuccess: async (read) => {
      client.setQueryData(keys.import(read.id), read);
      await client.invalidateQueries({ queryKey: keys.imports, exact: true });
    },
  });
  const take = useCallback(
    (files: readonly File[]) => {
      const [file] = files;
      if (!file) return;
      // React Query skips this callback once the person has left this page.
      mutate(file, { onSuccess: ({ id }) => void navigate({ to: '/settings/transfer/$id', params: { id } }) });
    },
    [mutate, navigate],
  );
  const isOver = useDrop(!isPending, take);
  const toggle = (id: string) =>
    setAccountIds((ids) => (ids.includes(id) ? ids.filter((one) => one !== id) : [...ids, id]));

  return (
    <Section title="Import" note="CSV or JSON, up to 10,000 posts">
      <div className={styles.gap}>
        <div className={styles.dropzone} data-over={isOver || undefined}>
          <span className={styles.tile}>
            <FileUp size={20} aria-hidden="true" />
          </span>
          {isPending ? (
            <div className={styles.reading} role="status">
              <span className="one-line">
                {share === 1 ? 'Reading' : 'Sending'} {variables.name}
              </span>
              <Progress
                size={4}
                color="var(--chart-1)"
                value={(share ?? 0) * 100}
                animated={share === 1}
                aria-label={`Import of ${variables.name}`}
              />
            </div>
          ) : (
            <>
              <p className={styles.strong}>Drop a file here</p>
              <p className="small text-2">You see what happens to each row before anything is saved.</p>
              <Button variant="ink" onClick={() => picker.current?.click()}>
                Choose a file
              </Button>
            </>
          )}
          <input
            ref={picker}
            type="file"
            hidden
            accept=".csv,.json,text/csv,application/json"
            aria-label="File to import"
            onChange={(event) => {
              take([...(event.currentTarget.files ?? [])]);
              event.currentTarget.value = '';
            }}
          />
        </div>
        {error && <FaultBanner fault={error} title="The file was not read" />}
        <ZoneSelect
          label="Time zone"
          description="For times in the file that have no zone."
          value={timeZone}
          onChange={setTimeZone}
        />
        {list.length > 0 && (
          <fieldset className={styles.accounts}>
            <legend>Accounts</legend>
            <p className="small text-3">For rows that name none, as in a file made for Buffer.</p>
            <div className={styles.chips}>
              {list.map((account) => (
                <AccountChip
                  key={account.id}
                  account={account}
                  pressed={accountIds.includes(account.id)}
                  onToggle={() => toggle(account.id)}
                />
              ))}
            </div>
          </fieldset>
        )}
        <ColumnsHelp />
      </div>
    </Section>
  );
};
