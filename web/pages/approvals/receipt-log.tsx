import { Button } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { Download } from 'lucide-react';
import type { Receipt } from '#generated/app-client';
import { app } from '#web/base/api.ts';
import { usePermissions, useWorkspace } from '#web/base/session.ts';
import { saveFile } from '#web/parts/save-file.ts';
import { showFault } from '#web/parts/toasts.tsx';
import styles from '#web/requests/receipt.module.css';

/** All entries, in the format that `posthorn verify --chain` accepts. */
const readLog = async (): Promise<Receipt> => {
  const entries: Receipt['entries'] = [];
  for (;;) {
    const after = entries.at(-1)?.entry.number;
    const page = await app.listReceipts(after === undefined ? {} : { after: String(after) });
    entries.push(...page.entries);
    if (page.isLast) return { entries, keys: page.keys };
  }
};

/** For owners and admins, who may read the whole log. */
export const ReceiptLog = () => {
  const { canManage } = usePermissions();
  const { id } = useWorkspace();
  const download = useMutation({
    mutationFn: readLog,
    onSuccess: (log) =>
      saveFile(new Blob([`${JSON.stringify(log, null, 2)}\n`], { type: 'application/json' }), `receipts-${id}.json`),
    onError: showFault,
  });
  if (!canManage) return null;
  return (
    <p className={styles.log}>
      <Button
        size="xs"
        variant="quiet"
        leftSection={<Download size={14} aria-hidden="true" />}
        loading={download.isPending}
        onClick={() => download.mutate()}
      >
        Download the receipt log
      </Button>
    </p>
  );
};
