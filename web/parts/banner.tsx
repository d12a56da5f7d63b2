import { CircleAlert, CircleHelp, Info, type LucideIcon, TriangleAlert } from 'lucide-react';
import styles from './banner.module.css';
import { CopyButton } from './copy.tsx';

export type Tone = 'red' | 'orange' | 'plum' | 'blue' | 'brass';

const icons: Record<Tone, LucideIcon> = {
  red: CircleAlert,
  orange: TriangleAlert,
  plum: CircleHelp,
  blue: Info,
  brass: Info,
};

/** Red banners are alerts, which screen readers announce at once. */
export const Banner = ({
  tone,
  title,
  children,
  action,
  requestId,
  icon,
}: {
  tone: Tone;
  title: React.ReactNode;
  children?: React.ReactNode;
  action?: React.ReactNode;
  requestId?: string | undefined;
  icon?: LucideIcon;
}) => {
  const Icon = icon ?? icons[tone];
  return (
    <div className={styles.banner} data-tone={tone} role={tone === 'red' ? 'alert' : 'status'}>
      <Icon className={styles.icon} size={16} aria-hidden="true" />
      <div className={styles.text}>
        <p className={styles.title}>{title}</p>
        {children && <div>{children}</div>}
        {requestId && (
          <p className={styles.request}>
            Request <code>{requestId}</code>
            <CopyButton value={requestId} label="Copy the request id" size={24} />
          </p>
        )}
      </div>
      {action && <div className={styles.action}>{action}</div>}
    </div>
  );
};
