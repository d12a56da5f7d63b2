import { Link, type LinkProps } from '@tanstack/react-router';
import { Check, CircleX, type LucideIcon, X } from 'lucide-react';
import { useEffect, useRef, useSyncExternalStore } from 'react';
import { describeFailure } from '#web/base/faults.ts';
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
const maxToasts = 3;
let toasts: readonly Shown[] = [];
let toastCount = 0;
const listeners = new Set<() => void>();

const set = (next: readonly Shown[]) => {
  toasts = next;
  for (const listener of listeners) listener();
};

/** Id of the toast about a live event. */
export const toastIdOf = (kind: string, id: string | undefined) => `${kind} ${id}`;

export const closeToast = (id: string, why: Why = 'dismissed') => {
  const toast = toasts.find((one) => one.id === id);
  if (!toast) return;
  set(toasts.filter((one) => one.id !== id));
  toast.onClose?.(why);
};

/** Returns its id. */
export const showToast = (toast: Toast): string => {
  const id = toast.id ?? `toast ${++toastCount}`;
  const others = toasts.filter((one) => one.id !== id);
  // Remove the oldest toast, and a persistent one only if all of them are persistent.
  while (others.length >= maxToasts) {
    const [removed] = others.splice(
      Math.max(
        0,
        others.findIndex(({ stays }) => !stays),
      ),
      1,
    );
    removed?.onClose?.('time');
  }
  set([...others, { ...toast, id }]);
  return id;
};

export const showFault = (error: unknown) => showToast({ tone: 'red', text: describeFailure(error) });

const subscribe = (listener: () => void) => {
  listeners.add(listener);
  return () => listeners.delete(listener);
};

/** F6 moves the focus to the toasts and back. */
export const Toasts = () => {
  const list = useSyncExternalStore(subscribe, () => toasts);
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
  const { id, text, tone = 'plain', action, stays = false } = toast;
  const Icon = toast.icon ?? (tone === 'red' ? CircleX : Check);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const stopTimer = () => clearTimeout(timer.current);
  const startTimer = () => {
    stopTimer();
    if (!stays) timer.current = setTimeout(() => closeToast(id, 'time'), lifeMs);
  };
  // biome-ignore lint/correctness/useExhaustiveDependencies: restart the timer when a toast is replaced
  useEffect(() => {
    startTimer();
    return stopTimer;
  }, [toast]);
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: hover and focus only pause the timer
    <div
      className={styles.toast}
      role={tone === 'red' ? 'alert' : 'status'}
      onMouseEnter={stopTimer}
      onMouseLeave={startTimer}
      onFocus={stopTimer}
      onBlur={startTimer}
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
