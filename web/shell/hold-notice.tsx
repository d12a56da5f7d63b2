import { Button } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useSession } from '#web/base/session.ts';
import { Banner } from '#web/parts/banner.tsx';
import { When } from '#web/parts/when.tsx';

/** Above every page after a restore, until a person releases it. */
export const HoldNotice = ({ backupAt }: { backupAt: string }) => {
  const { user } = useSession();
  return (
    <Banner
      tone="orange"
      title="Nothing goes out"
      action={
        user.operator && (
          <Button size="xs" renderRoot={(props) => <Link to="/settings/backups" {...props} />}>
            Open
          </Button>
        )
      }
    >
      The backup of <When at={backupAt} form="full" /> was restored. Posts, webhooks and mails wait until{' '}
      {user.operator ? 'you release them.' : 'whoever set this server up releases them.'}
    </Banner>
  );
};
