import { Link, type LinkProps } from '@tanstack/react-router';
import { Check, type LucideIcon, X } from 'lucide-react';
import { useEffect, useRef, useSyncExternalStore } from 'react';
import { isTyping } from './is-typing.ts';
import styles from './toasts.module.css';

/** `elsewhere`: decided or closed in another tab. */
type Why = 'time' | 'dismissed' | 'action' | 'elsewhere';

export interface Toast {
  /** A toast replaces an earlier one with the same id. */
  id?: string;
  text: React.ReactNode;
  icon?: LucideIcon | undefined;
  /** Brass: it asks for approval. */
  tone?: 'plain' | 'brass' | 'red';
  action?: { label: string; onClick?: () => void; link?: LinkProps };
  /** Stays until it is opened or dismissed; otherwise 6 s. */
  stays?: boolean;
  onClose?: (why: Why) => void;
}

interface Shown extends Toast {
  id: string;
}

const lifeMs = 6000;
const most = 3;
let shown: readonly Shown[] = [];
let made = 0;
const listeners = new Set<() => void>();

const set = (next: readonly Shown[]) => {
  shown = next;
  for (const hear of listeners) hear();
};

export const closeToast = (id: string, why: Why = 'dismissed') => {
  const found = shown.find((one) => one.id === id);
  if (!found) return;
  set(shown.filter((one) => one.id !== id));
  found.onClose?.(why);
};

/** Returns its id. */
export const showToast = (toast: Toast): string => {
  const id = toast.id ?? `toast ${++made}`;
  const others = shown.filter((one) => one.id !== id);
  // Remove the oldest, but one that stays only if there is no other.
  while (others.length >= most) {
    const [goes] = others.splice(
      Math.max(
        0,
        others.findIndex(({ stays }) => !stays),
      ),
      1,
    );
    goes?.onClose?.('time');
  }
  set([...others, { ...toast, id }]);
  return id;
};

/**
 * Undo instead of a confirmation: `act` runs when the toast closes or the page is left, so it needs `keepalive`
 * requests.
 */
export const showUndo = ({
  text,
  icon,
  act,
  undo,
}: {
  text: string;
  icon?: LucideIcon;
  act: () => void;
  undo: () => void;
}) => {
  let done = false;
  const finish = (why: Why) => {
    if (done) return;
    done = true;
    window.removeEventListener('pagehide', leave);
    if (why === 'action') undo();
    else act();
  };
  const leave = () => finish('time');
  window.addEventListener('pagehide', leave);
  return showToast({ text, icon, action: { label: 'Undo' }, onClose: finish });
};

const subscribe = (hear: () => void) => {
  listeners.add(hear);
  return () => listeners.delete(hear);
};

/** F6 moves the focus to the toasts and back. */
export const Toasts = () => {
  const list = useSyncExternalStore(subscribe, () => shown);
  const area = useRef<HTMLElement>(null);
  useEffect(() => {
    let cameFrom: Element | null = null;
    const press = (event: KeyboardEvent) => {
      if (event.key !== 'F6') return;
      event.preventDefault();
      if (area.current?.contains(document.activeElement)) {
        (cameFrom as HTMLElement | null)?.focus?.();
        return;
      }
      const target = area.current?.querySelector<HTMLElement>('a, button');
      if (!target) return;
      cameFrom = document.activeElement;
      target.focus();
    };
    window.addEventListener('keydown', press);
    return () => window.removeEventListener('keydown', press);
  }, []);
  return (
    <section ref={area} className={styles.area} aria-label="Messages (F6)">
      {list.map((toast) => (
        <ToastCard key={toast.id} toast={toast} />
      ))}
    </section>
  );
};

const ToastCard = ({ toast }: { toast: Shown }) => {
  const { id, text, icon: Icon = Check, tone = 'plain', action, stays = false } = toast;
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const stop = () => clearTimeout(timer.current);
  const go = () => {
    stop();
    if (!stays) timer.current = setTimeout(() => closeToast(id, 'time'), lifeMs);
  };
  // biome-ignore lint/correctness/useExhaustiveDependencies: a toast that is shown again lives again
  useEffect(() => {
    go();
    return stop;
  }, [toast]);
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the pointer or focus on it only stops the clock
    <div
      className={styles.toast}
      role={tone === 'red' ? 'alert' : 'status'}
      onMouseEnter={stop}
      onMouseLeave={go}
      onFocus={stop}
      onBlur={go}
      onKeyDown={(event) => {
        if (event.key === 'Escape' && !isTyping(event.nativeEvent)) closeToast(id);
      }}
    >
      <Icon className={styles.icon} data-tone={tone} size={18} strokeWidth={1.75} aria-hidden="true" />
      <span className={styles.text}>{text}</span>
      {action?.link && (
        <Link {...action.link} className={styles.action} onClick={() => closeToast(id, 'action')}>
          {action.label}
        </Link>
      )}
      {action && !action.link && (
        <button
          type="button"
          className={styles.action}
          onClick={() => {
            action.onClick?.();
            closeToast(id, 'action');
          }}
        >
          {action.label}
        </button>
      )}
      {(stays || !action) && (
        <button type="button" className={styles.close} aria-label="Dismiss" onClick={() => closeToast(id)}>
          <X size={16} aria-hidden="true" />
        </button>
      )}
    </div>
  );
};
