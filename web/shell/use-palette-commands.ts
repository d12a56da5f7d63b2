import { useNavigate } from '@tanstack/react-router';
import { CalendarClock, CircleHelp, Keyboard, LogOut, Palette, Pencil, User, Workflow } from 'lucide-react';
import { usePermissions, useSession, useWorkspace, useZone } from '#web/base/session.ts';
import { formatDateTime } from '#web/base/time.ts';
import { type PaletteCommand, pageCommands } from '#web/parts/palette-store.ts';
import { useChangeProfile } from '#web/parts/profile.ts';
import { useNextSlot } from '#web/parts/use-next-slot.ts';
import { openWorkspace } from './open-workspace.ts';
import { signOut } from './person-menu.tsx';
import { themes } from './theme-menu.tsx';
import { useNavItems } from './use-nav-items.ts';

interface PaletteGroup {
  readonly title: string;
  readonly commands: readonly PaletteCommand[];
}

const keysOf: Record<string, string> = {
  '/': 'G H',
  '/posts': 'G P',
  '/calendar': 'G C',
  '/approvals': 'G A',
  '/media': 'G M',
  '/analytics': 'G L',
  '/settings/workspace': 'G S',
};

/** Global commands; those of the open page come first. */
export const usePaletteCommands = (onHelp: () => void, isOpen: boolean): PaletteGroup[] => {
  const navigate = useNavigate();
  const zone = useZone();
  const { canWrite } = usePermissions();
  const { workspaces, user } = useSession();
  const { id: openId } = useWorkspace();
  const { pages, workspace } = useNavItems();
  const { mutate: changeProfile } = useChangeProfile();
  const ofPage = pageCommands();
  const slot = useNextSlot([], { enabled: canWrite && isOpen });
  const go = (to: string) => () => navigate({ to });
  const writeAt = (at?: string) => () =>
    navigate({ to: '/posts/$id', params: { id: 'new' }, search: at === undefined ? {} : { at } });

  const doing: PaletteCommand[] = [
    ...ofPage,
    ...(canWrite
      ? [{ id: 'new', label: 'New post', icon: Pencil, keys: 'C', words: 'write draft', run: writeAt() }]
      : []),
    ...(slot !== undefined && !ofPage.some(({ id }) => id === 'slot')
      ? [
          {
            id: 'slot',
            label: 'Write for the next free slot',
            icon: CalendarClock,
            hint: formatDateTime(slot, zone),
            words: 'queue schedule',
            run: writeAt(slot),
          },
        ]
      : []),
  ];
  const places: PaletteCommand[] = [
    ...[...pages, ...workspace].map(({ label, to, icon }) => ({
      id: to,
      label,
      icon,
      ...(keysOf[to] && { keys: keysOf[to] }),
      run: go(to),
    })),
    {
      id: '/settings/slots',
      label: 'Slots',
      icon: CalendarClock,
      words: 'queue weekly times',
      run: go('/settings/slots'),
    },
    { id: '/settings/profile', label: 'Profile', icon: User, words: 'password zone', run: go('/settings/profile') },
  ];
  const rest: PaletteCommand[] = [
    ...workspaces
      .filter(({ id }) => id !== openId)
      .map(({ id, name }) => ({
        id,
        label: `Switch workspace to ${name}`,
        icon: Workflow,
        run: () => openWorkspace(id),
      })),
    ...themes
      .filter(([theme]) => theme !== user.theme)
      .map(([theme, label]) => ({
        id: `theme ${theme}`,
        label: `Theme: ${label}`,
        icon: Palette,
        words: 'dark light color',
        run: () => changeProfile({ theme }),
      })),
    { id: 'help', label: 'Keyboard shortcuts', icon: Keyboard, keys: '?', words: 'help', run: onHelp },
    {
      id: '/help',
      label: 'Help',
      icon: CircleHelp,
      words: 'docs manual documentation',
      run: () => void window.open('/help', '_blank', 'noopener'),
    },
    { id: 'out', label: 'Sign out', icon: LogOut, words: 'log out leave', run: signOut },
  ];
  return [
    { title: 'Do', commands: doing },
    { title: 'Go to', commands: places },
    { title: 'More', commands: rest },
  ];
};
