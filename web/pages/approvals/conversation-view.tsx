import { Button } from '@mantine/core';
import { useQueries } from '@tanstack/react-query';
import { Stamp } from 'lucide-react';
import { useCallback, useEffect, useRef, useState } from 'react';
import type { ApprovalCard } from '#generated/app-client';
import { app } from '#web/base/api.ts';
import { keys } from '#web/base/queries.ts';
import { usePermissions } from '#web/base/session.ts';
import { EmptyState } from '#web/parts/empty-state.tsx';
import { isTyping } from '#web/parts/is-typing.ts';
import { focusAfter, useListKeys } from '#web/parts/list.tsx';
import { useShortcutsOn } from '#web/parts/shortcuts.ts';
import { canStillSend, needsDecision } from '#web/requests/card-state.ts';
import { ConfirmApproval } from '#web/requests/confirm-approval.tsx';
import { canEdit } from '#web/requests/edit-of-request.ts';
import { RequestCard } from '#web/requests/request-card.tsx';
import { useDecisionText } from '#web/requests/use-decision-text.ts';
import { DecisionsProvider, useMakeDecisions } from '#web/requests/use-decisions.ts';
import styles from './conversation-view.module.css';
import { DecidedLine } from './decided-line.tsx';
import { PassView } from './pass-view.tsx';
import { passesOf, passSize } from './passes.ts';
import type { Conversation } from './use-approvals.ts';

const cardsAtOnce = 20;

/** Passes, then other open requests oldest first, then edited posts, then decided requests collapsed to a line. */
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
  const isExpanded = ({ id }: ApprovalCard) => id === focused?.id || decisions.late.has(id);
  const groups = passesOf(waiting, decisions.alone);
  // The last card of a pass stays in it, so that its mark and its edit are kept.
  const inPass = useRef(new Set<string>());
  const isPass = (cards: readonly ApprovalCard[]) => cards.length > 1 || inPass.current.has(cards[0]?.id ?? '');
  const passes = groups.filter(isPass);
  const singles = groups.filter((cards) => !isPass(cards)).flat();
  for (const { id } of passes.flat()) inPass.current.add(id);
  // While there is a pass, earlier decisions are on a separate page.
  const rest = conversation.decided.filter((card) => !open.has(card.id) && (passes.length === 0 || isExpanded(card)));
  const earlier = conversation.decided.find(({ status }) => status === 'Approved');
  const shownSingles = singles.slice(0, visibleCount);
  useListKeys(area);
  useDecisionKeys(area, [...singles, ...rest], decisions);
  useFocusOn(area, focused?.id);
  return (
    <DecisionsProvider value={decisions}>
      <div ref={area} className={styles.area}>
        {passes.map((cards, index) => (
          <PassView
            // biome-ignore lint/suspicious/noArrayIndexKey: a pass has no id, and each of its cards can leave it
            key={index}
            cards={cards}
            size={passSize(cards, conversation.decided)}
            focused={focused?.id}
            earlier={earlier}
          />
        ))}
        {(passes.length === 0 || singles.length + rest.length > 0) && (
          <div className={styles.column}>
            {shownSingles.map((card) => (
              <RequestCard key={card.id} card={card} decision={decisionText(card, ' at ')} wasDecided={false} />
            ))}
            {singles.length > visibleCount && (
              <Button onClick={() => setVisibleCount(visibleCount + cardsAtOnce)}>
                Show {singles.length - visibleCount} more
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
        )}
      </div>
      <ConfirmApproval decisions={decisions} />
    </DecisionsProvider>
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

/** A approves, R rejects and E edits the focused card. Approving asks for confirmation. */
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
      if (key !== 'a' && key !== 'r' && key !== 'e') return;
      const row = document.activeElement?.closest<HTMLElement>('[data-row]');
      const card = latest.current.cards.find(({ id }) => id === row?.dataset.row);
      if (!row || !area.current?.contains(row) || card === undefined || !needsDecision(card)) return;
      if (key === 'e' && !canEdit(card)) return;
      event.preventDefault();
      if (key === 'a') latest.current.decisions.confirm(card);
      else latest.current.decisions.setForm(card.id, key === 'e' ? 'edit' : 'reject');
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
    // Scroll a long card to its start, but a row as little as possible: the head of its pass should stay visible.
    row.scrollIntoView({ block: row.tagName === 'LI' ? 'nearest' : 'start' });
  });
};
