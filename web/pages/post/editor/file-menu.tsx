import { Menu } from '@mantine/core';
import { Images, Upload } from 'lucide-react';

/** `children` is the button that opens the menu. */
export const FileMenu = ({
  onDevice,
  onLibrary,
  children,
}: {
  onDevice: () => void;
  onLibrary: () => void;
  children: React.ReactNode;
}) => (
  <Menu position="bottom-start">
    <Menu.Target>{children}</Menu.Target>
    <Menu.Dropdown>
      <Menu.Item leftSection={<Upload size={15} aria-hidden="true" />} onClick={onDevice}>
        From this device
      </Menu.Item>
      <Menu.Item leftSection={<Images size={15} aria-hidden="true" />} onClick={onLibrary}>
        From the library
      </Menu.Item>
    </Menu.Dropdown>
  </Menu>
);
