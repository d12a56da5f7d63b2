import { useQuery } from '@tanstack/react-query';
import { app } from '#web/base/api.ts';
import { keys } from '#web/base/queries.ts';
import { Loaded } from '#web/parts/loaded.tsx';
import { ConfirmApproval } from '#web/requests/confirm-approval.tsx';
import { RequestCard } from '#web/requests/request-card.tsx';
import { useDecisionText } from '#web/requests/use-decision-text.ts';
import { DecisionsProvider, useMakeDecisions } from '#web/requests/use-decisions.ts';

const stay = () => undefined;

/** The same card as on the Approvals page; it also shows decisions made in other tabs. */
export const ApprovalRequest = ({ id }: { id: string }) => {
  const decisions = useMakeDecisions(stay);
  const decisionText = useDecisionText();
  const query = useQuery({
    queryKey: keys.approval(id),
    queryFn: ({ signal }) => app.getApproval({ id }, { signal }),
  });
  return (
    <Loaded query={query} title="The request could not be shown" rows={2} height={66} label="Loading the request">
      {(card) => (
        <DecisionsProvider value={decisions}>
          <RequestCard card={card} decision={decisionText(card, ' at ')} wasDecided={decisions.late.has(id)} />
          <ConfirmApproval decisions={decisions} />
        </DecisionsProvider>
      )}
    </Loaded>
  );
};
