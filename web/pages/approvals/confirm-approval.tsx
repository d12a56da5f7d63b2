import { NotDone } from '#web/faults.ts';
import { ConfirmDialog } from '#web/parts/confirm-dialog.tsx';
import { useZone } from '#web/session.ts';
import { actOf } from './card-actions.tsx';
import { isDestructive } from './card-state.ts';
import { lineOf, titleOf } from './format-request.ts';
import { PasskeyYes } from './passkey-yes.tsx';
import type { useMakeDecisions } from './use-decisions.ts';

/** Second confirmation, for approvals that cannot be undone. */
export const ConfirmApproval = ({ decisions }: { decisions: ReturnType<typeof useMakeDecisions> }) => {
  const { confirming, closeConfirm, approve } = decisions;
  const zone = useZone();
  if (confirming === undefined) return null;
  const { label, note, reason } = actOf(confirming);
  return (
    <ConfirmDialog
      opened
      onClose={closeConfirm}
      title={`${titleOf(confirming, zone).title}?`}
      act={label}
      kind={isDestructive(confirming) ? 'danger' : 'send'}
      onConfirm={() => (reason === undefined ? approve(confirming) : Promise.reject(new NotDone(reason)))}
    >
      <p dir="auto">{lineOf(confirming, zone)}</p>
      <p className="small text-3">{reason ?? note}</p>
      {confirming.status === 'Open' && <PasskeyYes />}
    </ConfirmDialog>
  );
};
