import { Button, Checkbox, Modal, Select } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { Share } from '#generated/app-client';
import { app } from '#web/base/api.ts';
import { describeFailure, madeOnce } from '#web/base/faults.ts';
import { keys } from '#web/base/queries.ts';
import { CopyField } from '#web/parts/copy.tsx';
import { FaultBanner } from '#web/parts/fault-banner.tsx';
import { Loaded } from '#web/parts/loaded.tsx';
import { count } from '#web/parts/number.ts';
import { showToast } from '#web/parts/toasts.tsx';
import { When } from '#web/parts/when.tsx';
import styles from './share-dialog.module.css';

const spans = [1, 3, 7, 14, 30].map((days) => ({ value: String(days), label: count(days, 'day') }));

/** Review links: anyone who has one can read the post. */
export const ShareDialog = ({ postId, opened, onClose }: { postId: string; opened: boolean; onClose: () => void }) => (
  <Modal opened={opened} onClose={onClose} title="Share for review" size={520}>
    {opened && <Sharing postId={postId} />}
  </Modal>
);

const Sharing = ({ postId }: { postId: string }) => {
  const client = useQueryClient();
  const [days, setDays] = useState('7');
  const [invitesAdvice, setInvitesAdvice] = useState(false);
  const make = useMutation({
    mutationFn: () => app.sharePost({ id: postId, days: Number(days), invitesAdvice }),
    onSettled: () => client.invalidateQueries({ queryKey: keys.shares(postId) }),
  });
  return (
    <>
      <p className="text-2">
        Anyone with the link sees this post as it is at that moment, without signing in. They see nothing else and
        cannot change anything.
      </p>
      <Checkbox
        mt="sm"
        label="Ask for advice: comments, “fine by me” or “please change”"
        description="Members see them under the name that the person gives. They decide nothing."
        checked={invitesAdvice}
        onChange={(event) => setInvitesAdvice(event.currentTarget.checked)}
      />
      <div className={styles.make}>
        <Select
          label="Ends after"
          data={spans}
          value={days}
          allowDeselect={false}
          onChange={(value) => setDays(value ?? days)}
        />
        <Button variant="ink" loading={make.isPending} onClick={() => make.mutate()}>
          Create a review link
        </Button>
      </div>
      {make.error && <FaultBanner fault={make.error} title="The review link was not created" unanswered={madeOnce} />}
      {make.data && (
        <div className={styles.made} role="status">
          <p>Copy it now. It is shown only this once.</p>
          <CopyField value={make.data.url} label="address" />
        </div>
      )}
      <Live postId={postId} />
    </>
  );
};

const Live = ({ postId }: { postId: string }) => {
  const query = useQuery({
    queryKey: keys.shares(postId),
    queryFn: ({ signal }) => app.listShares({ id: postId }, { signal }),
    staleTime: 0,
  });
  return (
    <Loaded
      query={query}
      title="The review links could not be loaded"
      rows={1}
      height={44}
      label="Loading the review links"
    >
      {({ shares }) =>
        shares.length > 0 && (
          <section className={styles.live} aria-labelledby="live-shares">
            <h3 id="live-shares" className="subtitle">
              Active review links
            </h3>
            <ul>
              {shares.map((share) => (
                <ShareRow key={share.id} share={share} postId={postId} />
              ))}
            </ul>
          </section>
        )
      }
    </Loaded>
  );
};

const ShareRow = ({ share, postId }: { share: Share; postId: string }) => {
  const client = useQueryClient();
  const revoke = useMutation({
    mutationFn: () => app.revokeShare({ id: share.id }),
    onSuccess: () => showToast({ text: 'Revoked. The link no longer works.' }),
    onError: (error) => showToast({ text: describeFailure(error, 'It still works.'), tone: 'red', stays: true }),
    onSettled: () => client.invalidateQueries({ queryKey: keys.shares(postId) }),
  });
  return (
    <li className={styles.row}>
      <span className="lines">
        <span className="one-line">
          Made by <bdi dir="auto">{share.madeBy}</bdi>, <When at={share.createdAt} />
        </span>
        <span className="small text-2">
          Ends <When at={share.expiresAt} />
          {share.invitesAdvice && ' · asks for advice'}
        </span>
      </span>
      <Button size="xs" loading={revoke.isPending} onClick={() => revoke.mutate()}>
        Revoke
      </Button>
    </li>
  );
};
