import { Button } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { CircleCheck, Stamp } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import type { ApprovalCard } from '#generated/app-client';
import { usePermissions, useZone } from '#web/base/session.ts';
import { isTyping } from '#web/parts/is-typing.ts';
import { Kbd } from '#web/parts/kbd.tsx';
import { MainButton } from '#web/parts/main-button.tsx';
import { useShortcutsOn } from '#web/parts/shortcuts.ts';
import { SideRail, WithRail } from '#web/parts/side-rail.tsx';
import { useIsPhone } from '#web/parts/use-is-phone.ts';
import { CardPreviews } from '#web/requests/card-previews.tsx';
import { timeOf, withEdit } from '#web/requests/edit-of-request.ts';
import { fitsLine, formatMoment } from '#web/requests/format-request.ts';
import { EarlierReceipt } from '#web/requests/receipt.tsx';
import { ConfirmPass } from './confirm-pass.tsx';
import styles from './pass.module.css';
import { PassPhone } from './pass-phone.tsx';
import { PassRow } from './pass-row.tsx';
import { passTitle } from './passes.ts';
import { type Pass, usePass } from './use-pass.ts';

/** Requests that came together, decided with one confirmation. */
export const PassView = ({
  cards,
  size,
  focused,
  earlier,
}: {
  cards: readonly ApprovalCard[];
  /** How many came together, including those already decided. */
  size: number;
  focused: string | undefined;
  /** The last request of the client that was approved. */
  earlier: ApprovalCard | undefined;
}) => {
  const pass = usePass(cards, focused);
  const isPhone = useIsPhone();
  const title = passTitle(cards, size);
  const { canWrite } = usePermissions();
  const [isConfirming, setIsConfirming] = useState(false);
  const area = useRef<HTMLElement>(null);
  const confirm = () => pass.marked.size > 0 && setIsConfirming(true);
  usePassKeys(area, pass, confirm);
  const rest = cards.length - pass.marked.size;
  const edited = [...pass.marked].filter((id) => pass.edits.has(id)).length;
  const note = [
    `${pass.marked.size} to approve${edited > 0 ? `, ${edited} with your edit` : ''}.`,
    ...(rest > 0 ? [`${rest} ${rest === 1 ? 'stays' : 'stay'} open.`] : []),
  ].join(' ');
  const foot = canWrite ? (
    <footer className={styles.foot} data-pass-foot>
      <p className={styles.note} aria-live="polite">
        {note}
      </p>
      <Button className="desk-only" variant="quiet" component={Link} to="/">
        Leave for later
      </Button>
      <MainButton
        variant="send"
        leftSection={<Stamp size={16} aria-hidden="true" />}
        rightSection={<Kbd keys="⌘ ↵" />}
        reason={pass.marked.size === 0 ? 'Mark what you approve.' : undefined}
        reasonHidden
        onClick={confirm}
      >
        Approve {pass.marked.size} of {cards.length}
      </MainButton>
    </footer>
  ) : (
    <footer className={styles.foot}>
      <p className="small text-2">Owners, admins and editors decide. You are a viewer here.</p>
    </footer>
  );
  const dialog = isConfirming && <ConfirmPass pass={pass} onClose={() => setIsConfirming(false)} />;
  if (isPhone) {
    return (
      <section ref={area} aria-label={title}>
        <PassPhone pass={pass} foot={foot} />
        {dialog}
      </section>
    );
  }
  return (
    <WithRail rail={<PassRail pass={pass} earlier={earlier} />}>
      <section ref={area} className={styles.pass} aria-label={title}>
        <PassHead pass={pass} title={title} />
        <ul className={styles.rows}>
          {cards.map((card) => (
            <PassRow key={card.id} card={card} pass={pass} />
          ))}
        </ul>
        {foot}
        {dialog}
      </section>
    </WithRail>
  );
};

const PassHead = ({ pass: { cards, seen }, title }: { pass: Pass; title: string }) => {
  const zone = useZone();
  const lookedAt = cards.filter(({ id }) => seen.has(id)).length;
  return (
    <header className={styles.head}>
      <div>
        <h2 className={styles.title}>{title}</h2>
        <p className="small text-2">
          Asked {formatMoment(cards[0]?.createdAt ?? '', zone)} in one go. Nothing is sent before you press the button
          below.
        </p>
      </div>
      <div className={styles.progress}>
        <progress value={lookedAt} max={cards.length} aria-label="Looked at" />
        <span className="small text-2 number">
          {lookedAt} of {cards.length} looked at
        </span>
      </div>
    </header>
  );
};

const PassRail = ({ pass, earlier }: { pass: Pass; earlier: ApprovalCard | undefined }) => {
  const card = pass.cards.find(({ id }) => id === pass.current);
  const content = card && withEdit(card, pass.edits.get(card.id));
  const result = card && pass.checks.get(card.id);
  return (
    <SideRail label="What would go out" width={364}>
      {card && content && (
        <CardPreviews
          key={card.id}
          card={card}
          content={content}
          at={pass.edits.get(card.id)?.scheduledAt ?? timeOf(card)}
        />
      )}
      {content && result && !result.error && content.accountIds.length > 0 && (
        <p className={styles.fits}>
          <CircleCheck size={16} aria-hidden="true" />
          {fitsLine(content.accountIds.length)}
        </p>
      )}
      {earlier && <EarlierReceipt card={earlier} />}
      <p className={styles.more}>
        <Link to="/approvals" search={{ show: 'decided' } as never}>
          All decisions
        </Link>
      </p>
    </SideRail>
  );
};

/** A marks, R rejects, E edits, Space leaves open; each goes on to the next row. ⌘↵ asks for the confirmation. */
const usePassKeys = (area: React.RefObject<HTMLElement | null>, pass: Pass, confirm: () => void) => {
  const areShortcutsOn = useShortcutsOn();
  const { canWrite } = usePermissions();
  const latest = useRef({ pass, confirm });
  latest.current = { pass, confirm };
  useEffect(() => {
    if (!areShortcutsOn || !canWrite) return;
    const press = (event: KeyboardEvent) => {
      const { pass, confirm } = latest.current;
      if (event.defaultPrevented || event.altKey || isTyping(event)) return;
      if (event.key === 'Enter' && (event.metaKey || event.ctrlKey)) {
        event.preventDefault();
        return void confirm();
      }
      if (event.ctrlKey || event.metaKey) return;
      const row = document.activeElement?.closest<HTMLElement>('[data-row]');
      const card = pass.cards.find(({ id }) => id === row?.dataset.row);
      if (!row || !card || !area.current?.contains(row)) return;
      const key = event.key.toLowerCase();
      // Space on a button presses it.
      if (key === ' ' && document.activeElement !== row) return;
      if (!['a', 'r', 'e', ' '].includes(key)) return;
      event.preventDefault();
      if (key === 'r') return pass.open({ id: card.id, kind: 'reject' });
      if (key === 'e') return pass.open({ id: card.id, kind: 'edit' });
      if (key === 'a' && !pass.canMark(card)) return;
      pass.mark(card.id, key === 'a');
      const next = row.nextElementSibling;
      if (next instanceof HTMLElement) next.focus();
    };
    window.addEventListener('keydown', press);
    return () => window.removeEventListener('keydown', press);
  }, [areShortcutsOn, canWrite, area]);
};
