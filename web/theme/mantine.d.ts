import '@mantine/core';

type Variant = 'send' | 'ink' | 'default' | 'quiet' | 'danger' | 'danger-filled';

declare module '@mantine/core' {
  export interface ButtonProps {
    variant?: Variant;
  }
  export interface ActionIconProps {
    variant?: Variant;
  }
}
