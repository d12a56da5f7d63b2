import { TextInput, type TextInputProps } from '@mantine/core';
import { useIsPhone } from './use-is-phone.ts';

/** Free text on desktops, read by `parseTime`; the native picker on phones. */
export const TimeInput = ({
  value,
  onChange,
  ...props
}: Omit<TextInputProps, 'value' | 'onChange'> & { value: string; onChange: (text: string) => void }) => {
  const isPhone = useIsPhone();
  return (
    <TextInput
      w={isPhone ? 144 : 128}
      {...props}
      {...(isPhone ? { type: 'time' } : { placeholder: '08:30', autoComplete: 'off', spellCheck: false })}
      value={value}
      onChange={(event) => onChange(event.currentTarget.value)}
    />
  );
};
