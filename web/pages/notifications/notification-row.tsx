import { ActionIcon, Tooltip } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import {
  AtSign,
  Ban,
  CalendarX2,
  CircleHelp,
  CircleX,
  FileInput,
  type LucideIcon,
  Mail,
  MailOpen,
  MessageSquare,
  Stamp,
  Trash2,
  Unplug,
  UserPlus,
  Webhook,
} from 'lucide-react';
import type { Notification } from '#generated/app-client';
import { useZone } from '#web/base/session.ts';
import { inZone } from '#web/base/time.ts';
import { When } from '#web/parts/when.tsx';
import styles from './notifications.module.css';
import type { Mark } from './use-notifications.ts';

type Tone = 'brass' | 'red' | 'plum' | 'orange' | 'grey';

const looks: Record<Notification['kind'], [icon: LucideIcon, tone: Tone]> = {
  'approval.requested': [Stamp, 'brass'],
  'approval.approved': [Stamp, 'grey'],
  'approval.rejected': [Ban, 'grey'],
  'post.failed': [CircleX, 'red'],
  'post.forecast': [CalendarX2, 'orange'],
  'post.uncertain': [CircleHelp, 'plum'],
  'account.reconnect': [Unplug, 'red'],
  'webhook.paused': [Webhook, 'orange'],
  'member.joined': [UserPlus, 'grey'],
  'workspace.deletion': [Trash2, 'orange'],
  'comment.mentioned': [AtSign, 'grey'],
  'review.advice': [MessageSquare, 'grey'],
  'import.finished': [FileInput, 'grey'],
};

/** The whole row is a link, and following it marks the notification as read. */
export const NotificationRow = ({
  notification: { id, kind, title, detail, excerpt, path, needsYou, read, createdAt },
  onMark,
}: {
  notification: Notification;
  onMark: (mark: Mark) => void;
}) => {
  const zone = useZone();
  const [Icon, tone] = looks[kind];
  const [to = '/', query] = path.split('?');
  const act = read ? 'Mark unread' : 'Mark read';
  return (
    <li className={styles.row} data-row={id} data-unread={!read || undefined}>
      <span className={styles.tile} data-tone={needsYou ? tone : 'grey'}>
        <Icon size={18} strokeWidth={1.75} aria-hidden="true" />
      </span>
      <span className={styles.what}>
        <Link
          to={to}
          search={Object.fromEntries(new URLSearchParams(query))}
          className={`row-link ${styles.link}`}
          data-row-link=""
          onClick={() => !read && onMark({ ids: [id], read: true })}
        >
          {!read && <span className="hidden">Unread: </span>}
          {title}
        </Link>
        {excerpt && (
          <span className={`one-line small ${styles.excerpt}`} dir="auto">
            “{excerpt}”
          </span>
        )}
        {detail && <span className={`small text-2 ${styles.detail}`}>{inZone(detail, zone)}</span>}
      </span>
      <When at={createdAt} className={`small text-3 ${styles.when}`} />
      <Tooltip label={act}>
        <ActionIcon
          className={styles.mark}
          aria-label={`${act}: ${title}`}
          onClick={() => onMark({ ids: [id], read: !read })}
        >
          {read ? (
            <Mail size={16} strokeWidth={1.75} aria-hidden="true" />
          ) : (
            <MailOpen size={16} strokeWidth={1.75} aria-hidden="true" />
          )}
        </ActionIcon>
      </Tooltip>
    </li>
  );
};
