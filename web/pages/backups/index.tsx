import { Button } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Archive } from 'lucide-react';
import { app } from '#web/base/api.ts';
import { keys } from '#web/base/queries.ts';
import { useSession } from '#web/base/session.ts';
import { FaultBanner } from '#web/parts/fault-banner.tsx';
import { Loaded } from '#web/parts/loaded.tsx';
import { PageHeader } from '#web/parts/page-header.tsx';
import { Column } from '#web/parts/section.tsx';
import { BackupList } from './backup-list.tsx';
import { BackupSchedule } from './backup-schedule.tsx';
import { BackupState } from './backup-state.tsx';
import { Held } from './held.tsx';

const runningMs = 2_000;
const restingMs = 60_000;

const BackupsPage = () => {
  const { user } = useSession();
  const client = useQueryClient();
  const query = useQuery({
    queryKey: keys.backups,
    queryFn: ({ signal }) => app.readBackups({ signal }),
    enabled: user.operator,
    refetchInterval: ({ state }) =>
      state.data?.backups.some((backup) => backup.state === 'Running') ? runningMs : restingMs,
  });
  const backUp = useMutation({
    mutationFn: () => app.makeBackup({}),
    onSettled: () => client.invalidateQueries({ queryKey: keys.backups }),
  });
  const isRunning = query.data?.backups.some(({ state }) => state === 'Running') ?? false;
  return (
    <>
      <PageHeader
        title="Backups"
        crumb={{ label: 'Workspace', link: { to: '/settings/workspace' } }}
        actions={
          user.operator && (
            <Button
              leftSection={<Archive size={16} aria-hidden="true" />}
              loading={backUp.isPending || isRunning}
              onClick={() => backUp.mutate()}
            >
              Back up now
            </Button>
          )
        }
      />
      <Column width="narrow">
        {backUp.error && <FaultBanner fault={backUp.error} title="The backup did not begin" />}
        {user.operator ? (
          <Loaded query={query} title="The backups could not be loaded" rows={5} height={54} label="Loading backups">
            {({ backups, schedule, hold }) => (
              <>
                {hold && <Held hold={hold} />}
                <BackupState backups={backups} at={schedule.at} />
                <BackupSchedule schedule={schedule} />
                <BackupList backups={backups} isAutomatic={schedule.at !== undefined} />
              </>
            )}
          </Loaded>
        ) : (
          <p>Whoever set this server up sees its backups. Ask them to restore one.</p>
        )}
      </Column>
    </>
  );
};

export default BackupsPage;
