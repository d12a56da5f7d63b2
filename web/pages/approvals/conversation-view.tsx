import { Button } from '@mantine/core';
import { useQueries } from '@tanstack/react-query';
import { Stamp } from 'lucide-react';
import { useCallback, useEffect, useRef, useState } from 'react';
import type { ApprovalCard } from '#generated/app-client';
import { app } from '#web/api.ts';
import { EmptyState } from '#web/parts/empty-state.tsx';
import { isTyping } from '#web/parts/is-typing.ts';
import { focusAfter, useListKeys } from '#web/parts/list.tsx';
import { keys } from '#web/queries.ts';
import { usePermissions, useZone } from '#web/session.ts';
import { useShortcutsOn } from '#web/shell/shortcuts.ts';
import { canStillSend, needsDecision } from './card-state.ts';
import { ConfirmApproval } from './confirm-approval.tsx';
import styles from './conversation-view.module.css';
import { DecidedLine } from './decided-line.tsx';
import { formatMoment } from './format-request.ts';
import { RequestCard } from './request-card.tsx';
import type { Conversation } from './use-approvals.ts';
import { useDecisionText } from './use-decision-text.ts';
import { DecisionsProvider, useMakeDecisions } from './use-decisions.ts';

const cardsAtOnce = 20;

/** Open requests oldest first, then edited posts, then decided requests collapsed to a line. */
export const ConversationView = ({
  conversation,
  focused,
  show,
  more,
}: {
  conversation: Conversation;
  /** The card that the address names. */
  focused: ApprovalCard | undefined;
  show: 'decided' | undefined;
  more: React.ReactNode;
}) => {
  const area = useRef<HTMLDivElement>(null);
  const decisionText = useDecisionText();
  const [visibleCount, setVisibleCount] = useState(cardsAtOnce);
  const decisions = useMakeDecisions(useCallback((id: string) => focusAfter(area.current, id), []));
  const changed = useChanged(conversation);
  const waiting = show === 'decided' ? [] : [...conversation.waiting, ...changed];
  const open = new Set(waiting.map(({ id }) => id));
  const rest = conversation.decided.filter(({ id }) => !open.has(id));
  const isExpanded = ({ id }: ApprovalCard) => id === focused?.id || decisions.late.has(id);
  useListKeys(area);
  useDecisionKeys(area, [...waiting, ...rest], decisions);
  useFocusOn(area, focused?.id);
  return (
    <DecisionsProvider value={decisions}>
      <div ref={area} className={styles.column}>
        {passesOf(waiting.slice(0, visibleCount)).map((pass) => (
          <Pass key={pass[0]?.id} cards={pass}>
            {pass.map((card) => (
              <RequestCard key={card.id} card={card} decision={decisionText(card, ' at ')} wasDecided={false} />
            ))}
          </Pass>
        ))}
        {waiting.length > visibleCount && (
          <Button onClick={() => setVisibleCount(visibleCount + cardsAtOnce)}>
            Show {waiting.length - visibleCount} more
          </Button>
        )}
        {waiting.length === 0 && rest.length === 0 && (
          <EmptyState icon={Stamp} title="Nothing waiting">
            What {conversation.client} asks for next appears here.
          </EmptyState>
        )}
        {rest.map((card) =>
          isExpanded(card) ? (
            <RequestCard
              key={card.id}
              card={card}
              decision={decisionText(card, ' at ')}
              wasDecided={decisions.late.has(card.id)}
            />
          ) : (
            <DecidedLine key={card.id} card={card} decision={decisionText(card)} />
          ),
        )}
        {more}
      </div>
      <ConfirmApproval decisions={decisions} />
    </DecisionsProvider>
  );
};

const passMs = 10 * 60_000;

/** Requests that came within ten minutes belong together. */
const passesOf = (cards: readonly ApprovalCard[]): ApprovalCard[][] => {
  const passes: ApprovalCard[][] = [];
  for (const card of cards) {
    const first = passes.at(-1)?.[0];
    const isSame = first?.status === card.status && Date.parse(card.createdAt) - Date.parse(first.createdAt) <= passMs;
    if (isSame) passes.at(-1)?.push(card);
    else passes.push([card]);
  }
  return passes;
};

const Pass = ({ cards, children }: { cards: readonly ApprovalCard[]; children: React.ReactNode }) => {
  const zone = useZone();
  const [first] = cards;
  if (first === undefined || cards.length === 1) return children;
  return (
    <section className={styles.pass} aria-label={`${cards.length} requests`}>
      <p className={styles.together}>{cards.length} requests</p>
      <p className="small text-3">
        Asked {formatMoment(first.createdAt, zone)} in one go. Each one waits for its own button.
      </p>
      {children}
    </section>
  );
};

/** The newest request of each post that was edited after it and can still be sent. */
const useChanged = ({ waiting, decided }: Conversation): ApprovalCard[] => {
  const seen = new Set(waiting.map(subjectOf));
  const candidates = decided
    .filter((card) => {
      const isNews = card.status === 'Outdated' && card.post !== undefined && !seen.has(subjectOf(card));
      if (isNews) seen.add(subjectOf(card));
      return isNews;
    })
    .slice(0, 10);
  const requests = useQueries({
    queries: candidates.map(({ id }) => ({
      queryKey: keys.approval(id),
      queryFn: ({ signal }: { signal: AbortSignal }) => app.getApproval({ id }, { signal }),
    })),
  });
  return requests.flatMap(({ data }) => (data && canStillSend(data) ? [data] : []));
};

const subjectOf = ({ action, post, account }: ApprovalCard) => `${action} ${post?.id ?? account?.id}`;

/** A approves and R rejects the focused card. Approving asks for confirmation. */
const useDecisionKeys = (
  area: React.RefObject<HTMLElement | null>,
  cards: readonly ApprovalCard[],
  decisions: ReturnType<typeof useMakeDecisions>,
) => {
  const areShortcutsOn = useShortcutsOn();
  const { canWrite } = usePermissions();
  const latest = useRef({ cards, decisions });
  latest.current = { cards, decisions };
  useEffect(() => {
    if (!areShortcutsOn || !canWrite) return;
    const press = (event: KeyboardEvent) => {
      if (isTyping(event) || event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
      const key = event.key.toLowerCase();
      if (key !== 'a' && key !== 'r') return;
      const row = document.activeElement?.closest<HTMLElement>('[data-row]');
      const card = latest.current.cards.find(({ id }) => id === row?.dataset.row);
      if (!row || !area.current?.contains(row) || card === undefined || !needsDecision(card)) return;
      event.preventDefault();
      if (key === 'a') latest.current.decisions.confirm(card);
      else void latest.current.decisions.reject(card);
    };
    window.addEventListener('keydown', press);
    return () => window.removeEventListener('keydown', press);
  }, [areShortcutsOn, canWrite, area]);
};

/** Focuses the card that the address names, once. */
const useFocusOn = (area: React.RefObject<HTMLElement | null>, id: string | undefined) => {
  const done = useRef<string>(undefined);
  useEffect(() => {
    if (id === undefined || done.current === id) return;
    const row = area.current?.querySelector<HTMLElement>(`[data-row="${CSS.escape(id)}"]`);
    if (!row) return;
    done.current = id;
    row.focus({ preventScroll: true });
    row.scrollIntoView({ block: 'start' });
  });
};
