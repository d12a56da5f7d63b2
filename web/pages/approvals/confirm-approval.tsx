import { ConfirmDialog } from '#web/parts/confirm-dialog.tsx';
import { useZone } from '#web/session.ts';
import { actOf } from './card-actions.tsx';
import { isDestructive } from './card-state.ts';
import { lineOf, titleOf } from './format-request.ts';
import type { useMakeDecisions } from './use-decisions.ts';

/** Second confirmation, for approvals that cannot be undone. */
export const ConfirmApproval = ({ decisions }: { decisions: ReturnType<typeof useMakeDecisions> }) => {
  const { asked, closeAsked, approve } = decisions;
  const zone = useZone();
  if (asked === undefined) return null;
  const { label, note, reason } = actOf(asked);
  return (
    <ConfirmDialog
      opened
      onClose={closeAsked}
      title={`${titleOf(asked, zone).title}?`}
      act={label}
      kind={isDestructive(asked) ? 'danger' : 'send'}
      onConfirm={() => (reason === undefined ? approve(asked) : Promise.reject(new Error(reason)))}
    >
      <p dir="auto">{lineOf(asked, zone)}</p>
      <p className="small text-3">{reason ?? note}</p>
    </ConfirmDialog>
  );
};
