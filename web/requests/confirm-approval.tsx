import { NotDone } from '#web/base/faults.ts';
import { useZone } from '#web/base/session.ts';
import { ConfirmDialog } from '#web/parts/confirm-dialog.tsx';
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
  const edit = decisions.edits[confirming.id];
  const act = actOf(confirming, edit);
  return (
    <ConfirmDialog
      opened
      onClose={closeConfirm}
      title={`${titleOf(confirming, zone).title}?`}
      act={act.label}
      kind={isDestructive(confirming) ? 'danger' : 'send'}
      onConfirm={() => (act.reason ? Promise.reject(new NotDone(act.reason)) : approve(confirming, edit))}
    >
      <p dir="auto">{lineOf(confirming, zone)}</p>
      <p className="small text-3">{act.reason ?? act.note}</p>
      {confirming.status === 'Open' && <PasskeyYes />}
    </ConfirmDialog>
  );
};
