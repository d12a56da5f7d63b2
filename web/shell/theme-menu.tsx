import { ActionIcon, type MantineColorScheme, Menu, useMantineColorScheme } from '@mantine/core';
import { Check, Monitor, Moon, Sun } from 'lucide-react';

const schemes: readonly [MantineColorScheme, string, typeof Sun][] = [
  ['auto', 'Like the system', Monitor],
  ['light', 'Light', Sun],
  ['dark', 'Dark', Moon],
];

export const ThemeMenu = () => {
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  const Shown = schemes.find(([scheme]) => scheme === colorScheme)?.[2] ?? Moon;
  return (
    <Menu position="top-end" width={180}>
      <Menu.Target>
        <ActionIcon aria-label="Theme">
          <Shown size={17} strokeWidth={1.75} aria-hidden="true" />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        {schemes.map(([scheme, label, Icon]) => (
          <Menu.Item
            key={scheme}
            leftSection={<Icon size={14} aria-hidden="true" />}
            rightSection={scheme === colorScheme && <Check size={14} aria-label="chosen" />}
            onClick={() => setColorScheme(scheme)}
          >
            {label}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
};
