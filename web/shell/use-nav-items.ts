import { useQuery } from '@tanstack/react-query';
import {
  Bell,
  Calendar,
  ChartNoAxesColumn,
  FileText,
  FlaskConical,
  House,
  Image,
  type LucideIcon,
  MessageCircle,
  Plug,
  Settings,
  Stamp,
  Waypoints,
  Webhook,
} from 'lucide-react';
import { useEffect } from 'react';
import { useNetworks } from '#web/base/networks.ts';
import { queries } from '#web/base/queries.ts';

export interface NavItem {
  label: string;
  to: string;
  /** Pages below it that have no entry of their own. */
  below?: readonly string[];
  icon: LucideIcon;
  /** Brass bubble: needs a decision. */
  count?: number;
  /** Ink dot: something to read. */
  news?: string | undefined;
  /** Orange dot: works, but needs attention. */
  dot?: string | undefined;
}

const sandboxKey = 'posthorn-sandbox';

/** Remembered from the last visit, so that the entries below do not jump while networks load. */
export const useHasSandbox = () => {
  const { list } = useNetworks();
  const isLoaded = list.length > 0;
  const hasSandbox = list.some(({ sandbox }) => sandbox);
  useEffect(() => {
    if (isLoaded) localStorage.setItem(sandboxKey, String(hasSandbox));
  }, [isLoaded, hasSandbox]);
  return isLoaded ? hasSandbox : localStorage.getItem(sandboxKey) === 'true';
};

/** `bell` is separate because desktops show it as an icon. */
export const useNavItems = (): { pages: NavItem[]; workspace: NavItem[]; bell: NavItem } => {
  const accounts = useQuery(queries.accounts).data?.accounts ?? [];
  const hasBroken = accounts.some(
    ({ status, statistics }) => status === 'NeedsReconnect' || statistics === 'Reconnect',
  );
  const hasSandbox = useHasSandbox();
  const { news = 0, approvals = 0 } = useQuery(queries.notificationCount).data ?? {};
  return {
    bell: { label: 'Notifications', to: '/notifications', icon: Bell, news: news > 0 ? 'unread' : undefined },
    pages: [
      { label: 'Home', to: '/', icon: House },
      { label: 'Posts', to: '/posts', icon: FileText },
      { label: 'Calendar', to: '/calendar', icon: Calendar },
      { label: 'Approvals', to: '/approvals', icon: Stamp, count: approvals },
      { label: 'Analytics', to: '/analytics', icon: ChartNoAxesColumn },
      { label: 'Media', to: '/media', icon: Image },
      { label: 'Assistant', to: '/assistant', icon: MessageCircle },
    ],
    workspace: [
      {
        label: 'Social accounts',
        to: '/accounts',
        icon: Waypoints,
        dot: hasBroken ? 'An account needs to be reconnected' : undefined,
      },
      { label: 'API and MCP', to: '/settings/api', icon: Plug },
      { label: 'Webhooks', to: '/settings/webhooks', icon: Webhook },
      ...(hasSandbox ? [{ label: 'Sandbox', to: '/sandbox', icon: FlaskConical }] : []),
      {
        label: 'Settings',
        to: '/settings/workspace',
        below: ['/settings/slots', '/settings/transfer', '/settings/backups', '/settings/networks'],
        icon: Settings,
      },
    ],
  };
};
