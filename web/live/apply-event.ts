import type { QueryClient } from '@tanstack/react-query';
import type { LinkProps } from '@tanstack/react-router';
import { CircleX, type LucideIcon, Stamp, Unplug, Webhook } from 'lucide-react';
import type { GetProgressOutput, Session } from '#generated/app-client';
import { keys } from '#web/base/queries.ts';
import { browserZone, inZone } from '#web/base/time.ts';
import { closeToast, showToast, type Toast, toastIdOf } from '#web/parts/toasts.tsx';
import { hasEnded, mergeSteps, rememberEndings } from '#web/send-off/steps.ts';
import { isWatched } from '#web/send-off/watched.ts';

/** The server sends what kind of thing changed, not the change itself. Only the steps of a send come with their event. */
export interface LiveEvent {
  /** Resumes the stream after a reconnect. */
  eventId?: string;
  kind: string;
  id?: string;
  text?: string;
  /** Only for `progress` events. */
  steps?: GetProgressOutput['steps'];
}

/** Domains (first part of the query keys) that an event makes stale. An unlisted kind is its own domain. */
const staleDomains: Record<string, readonly string[]> = {
  approval: ['approvals', 'posts', 'notifications'],
  post: ['posts', 'analytics', 'approvals', 'slots', 'labels', 'notifications'],
  account: ['accounts', 'posts', 'approvals', 'notifications'],
  webhook: ['webhooks', 'notifications'],
  notification: ['notifications'],
  media: ['media'],
  slot: ['slots'],
  label: ['labels', 'posts'],
  template: ['templates'],
  statistics: [],
  comment: ['comments'],
  presence: [],
  member: ['members', 'session', 'invitations'],
  workspace: ['session', 'plan'],
  clock: ['clock'],
  provider: ['providers', 'network-keys'],
  forecast: ['posts', 'notifications'],
  progress: [],
};
export const eventKinds = Object.keys(staleDomains);

export interface EventEffects {
  markStale: (domain: string, id?: string) => void;
  /** Closes a toast in the other tabs too. */
  dismissEverywhere: (toastId: string) => void;
}

export const applyEvent = (client: QueryClient, event: LiveEvent, { markStale, dismissEverywhere }: EventEffects) => {
  const { kind, id, text, steps = [] } = event;
  if (kind === 'here') return;
  if (kind === 'dismissed') return id === undefined ? undefined : closeToast(id, 'elsewhere');
  if (kind === 'resync') {
    void client.invalidateQueries();
    return;
  }
  if (kind === 'ended') {
    // The session tells whether to sign in again or which workspace is open.
    void client.invalidateQueries({ queryKey: keys.session });
    return;
  }
  if (kind === 'progress' && id !== undefined) {
    rememberEndings(id, steps);
    client.setQueryData<GetProgressOutput>(
      keys.progress(id),
      (before) => before && { ...before, steps: mergeSteps(before.steps, steps) },
    );
    // Final results contain more than the step, such as the error and the post's URL, so refetch them.
    if (steps.some(hasEnded)) void client.invalidateQueries({ queryKey: keys.progress(id) });
    return;
  }
  // Statistics arrive all day, so refetch only the queries of this post.
  if (kind === 'statistics' && id !== undefined) {
    for (const queryKey of [keys.metrics(id), keys.history(id)]) void client.invalidateQueries({ queryKey });
  }
  if (kind === 'presence' && id !== undefined) void client.invalidateQueries({ queryKey: keys.presence(id) });
  for (const domain of staleDomains[kind] ?? [kind]) markStale(domain, id);
  const toastId = toastIdOf(kind, id);
  if (kind === 'approval' && (!text || !id)) {
    // An approval event without text means that it was decided.
    closeToast(toastId, 'elsewhere');
    return;
  }
  if (!text || (kind === 'post' && id !== undefined && isWatched(id))) return;
  const zone = client.getQueryData<Session>(keys.session)?.user.timeZone || browserZone();
  const toast = toastOf(event);
  showToast({
    id: toastId,
    text: inZone(text, zone),
    ...toast,
    onClose: (why) => {
      if (toast.stays && (why === 'dismissed' || why === 'action')) dismissEverywhere(toastId);
    },
  });
};

/** Requests stay until a person acts; results disappear by themselves. */
const toastOf = ({ kind, id = '', text = '' }: LiveEvent): Omit<Toast, 'text'> => {
  if (kind === 'approval')
    return { icon: Stamp, tone: 'brass', stays: true, action: linkTo('Review', '/approvals/$id', id) };
  if (kind === 'account') return attentionToast(Unplug, 'Reconnect', '/accounts');
  if (kind === 'webhook') return attentionToast(Webhook, 'Open', '/settings/webhooks/$id', id);
  if (kind !== 'post') return {};
  const isTrouble = /\bcould not\b/i.test(text);
  return { ...(isTrouble && { icon: CircleX, tone: 'red' as const }), action: linkTo('Open', '/posts/$id', id) };
};

const attentionToast = (icon: LucideIcon, label: string, path: LinkProps['to'], id?: string): Omit<Toast, 'text'> => ({
  icon,
  tone: 'red',
  stays: true,
  action: linkTo(label, path, id),
});

const linkTo = (label: string, path: LinkProps['to'], id?: string): NonNullable<Toast['action']> => ({
  label,
  link: { to: path, ...(id && { params: { id } }) } as LinkProps,
});
