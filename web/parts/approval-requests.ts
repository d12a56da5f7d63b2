import { useQuery } from '@tanstack/react-query';
import { Stamp } from 'lucide-react';
import { isPosthornError } from '#generated/app-client';
import { queries } from '#web/base/queries.ts';
import { nameOf, usePermissions, useSession } from '#web/base/session.ts';
import { joinWithOr } from './join-names.ts';
import { closeToast, showToast } from './toasts.tsx';
import { useOpenApprovals } from './use-open-approvals.ts';

const requestIn = (error: unknown) =>
  isPosthornError(error, 'ApprovalRequired') ? error.issues.find(({ code }) => code === 'Asked') : undefined;

/** The server turned the call into an approval request, because this person may not publish. */
export const isAsked = (error: unknown) => requestIn(error) !== undefined;

/**
 * Shows a toast if the call became an approval request. Returns false for any other error, which the caller must
 * handle.
 */
export const showIfAsked = (error: unknown) => {
  const request = requestIn(error);
  if (request === undefined) return false;
  const id = request.url?.split('/').at(-1) ?? '';
  // The live event shows its own toast, which is meant for approvers.
  closeToast(`approval ${id}`);
  showToast({
    id: `asked ${id}`,
    icon: Stamp,
    tone: 'brass',
    text: request.message,
    action: { label: 'Open', link: { to: '/approvals/$id', params: { id } } as never },
  });
  return true;
};

/**
 * The label of a button: `Schedule`, or `Ask to schedule` for somebody who can only ask. Set `isFree` for actions that
 * every editor may take, such as moving a draft.
 */
export const useActLabel = () => {
  const { canOnlyAsk } = usePermissions();
  return (label: string, { isFree = false }: { isFree?: boolean } = {}) =>
    canOnlyAsk && !isFree ? askLabel(label) : label;
};

/** `Publish now` → `Ask to publish`, without `now`: the post goes out only when somebody approves it. */
const askLabel = (label: string) => `Ask to ${label.charAt(0).toLowerCase()}${label.slice(1).replace(/ now\b/, '')}`;

/** `Ann, Ben or 4 others`: who decides in this workspace. */
export const useApproverNames = () => {
  const { workspace } = useSession();
  const members = useQuery(queries.members).data?.members ?? [];
  const names = members
    .filter(
      ({ role, approver }) =>
        role === 'owner' ||
        role === 'admin' ||
        (role === 'editor' && (approver || workspace?.publishers === 'editors')),
    )
    .map(nameOf);
  return joinWithOr(names.length > 3 ? [...names.slice(0, 2), `${names.length - 2} others`] : names);
};

/** The open request that this person made about the post. */
export const useOwnRequest = (postId: string | undefined) => {
  const { user } = useSession();
  return useOpenApprovals().open.find(
    ({ isOwn, requestedBy, post }) => isOwn && requestedBy === user.id && post?.id === postId,
  );
};
