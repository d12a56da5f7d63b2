import { Button } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import type { HeldPost } from '#generated/app-client';
import { app } from '#web/base/api.ts';
import { keys } from '#web/base/queries.ts';
import { useWorkspace } from '#web/base/session.ts';
import { Banner } from '#web/parts/banner.tsx';
import { count } from '#web/parts/number.ts';
import { ProofDialog } from '#web/parts/proof-dialog.tsx';
import type { toProof } from '#web/parts/proof-field.tsx';
import { Section } from '#web/parts/section.tsx';
import { When } from '#web/parts/when.tsx';
import styles from './backups.module.css';

interface Hold {
  readonly backupAt: string;
  readonly dueCount: number;
  readonly due: readonly HeldPost[];
}

/** Shown after a restore: nothing is sent until a person releases the hold. */
export const Held = ({ hold: { backupAt, dueCount, due } }: { hold: Hold }) => {
  const [isAsking, setIsAsking] = useState(false);
  const client = useQueryClient();
  const release = async (proof: ReturnType<typeof toProof>) => {
    await app.releaseHold(proof);
    await client.invalidateQueries({ queryKey: keys.backups });
    await client.invalidateQueries({ queryKey: keys.installation });
  };
  return (
    <>
      <Banner
        tone="orange"
        title="Nothing goes out until you release it"
        action={
          <Button size="xs" variant="send" onClick={() => setIsAsking(true)}>
            Release
          </Button>
        }
      >
        The backup of <When at={backupAt} form="full" /> was restored here. Posts, webhooks and mails wait.{' '}
        {dueCount === 0 ? 'No post was due since then.' : `${count(dueCount, 'post')} came due since then.`}
      </Banner>
      {due.length > 0 && (
        <Section title="Due since the backup" note="They are not sent when you release." card>
          <ul aria-label="Posts that were due">
            {due.map((post) => (
              <li key={post.id} className={styles.row}>
                <span className={styles.when}>
                  <When at={post.scheduledAt ?? post.updatedAt} />
                </span>
                <HeldPostText post={post} />
                <span className={styles.size}>
                  {!post.scheduledAt && 'Was being published on '}
                  {post.accounts.join(', ')}
                </span>
              </li>
            ))}
            {dueCount > due.length && <li className={styles.row}>{dueCount - due.length} more</li>}
          </ul>
        </Section>
      )}
      <ProofDialog
        opened={isAsking}
        onClose={() => setIsAsking(false)}
        title="Let this Posthorn send?"
        act="Release"
        kind="send"
        onConfirm={release}
      >
        Make sure that the old Posthorn is stopped: two would publish everything twice.{' '}
        {dueCount > 0 &&
          'Posts that were due are not sent. Their members are asked to look whether they are out already. '}
        Posts that are due later go out at their time.
      </ProofDialog>
    </>
  );
};

/** Only members of a workspace can open its posts. */
const HeldPostText = ({ post: { id, workspaceId, workspace, text } }: { post: HeldPost }) => {
  const { id: openId } = useWorkspace();
  const shown = text || 'Without text';
  return (
    <span className={styles.what}>
      {workspaceId === openId ? (
        <Link to="/posts/$id" params={{ id }}>
          {shown}
        </Link>
      ) : (
        `${workspace}: ${shown}`
      )}
    </span>
  );
};
