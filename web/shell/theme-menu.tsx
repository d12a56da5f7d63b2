import { ActionIcon, Menu } from '@mantine/core';
import { Check, Monitor, Moon, Sun } from 'lucide-react';
import type { Session } from '#generated/app-client';
import { useChangeProfile, useProfile } from '#web/parts/profile.ts';

export const themes: readonly [Session['user']['theme'], string, typeof Sun][] = [
  ['auto', 'Same as the system', Monitor],
  ['light', 'Light', Sun],
  ['dark', 'Dark', Moon],
];

export const ThemeMenu = () => {
  const { theme: chosen } = useProfile();
  const { mutate: change } = useChangeProfile();
  const CurrentIcon = themes.find(([theme]) => theme === chosen)?.[2] ?? Moon;
  return (
    <Menu position="top-end" width={180}>
      <Menu.Target>
        <ActionIcon aria-label="Theme">
          <CurrentIcon size={17} strokeWidth={1.75} aria-hidden="true" />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        {themes.map(([theme, label, Icon]) => (
          <Menu.Item
            key={theme}
            leftSection={<Icon size={14} aria-hidden="true" />}
            rightSection={theme === chosen && <Check size={14} aria-label="chosen" />}
            onClick={() => change({ theme })}
          >
            {label}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
};
