import { TextInput, type TextInputProps } from '@mantine/core';
import { useState } from 'react';
import { useIsPhone } from './use-is-phone.ts';

/** Free text on desktops, the native picker on phones. */
export const TimeInput = ({
  value,
  onChange,
  ...props
}: Omit<TextInputProps, 'value' | 'onChange'> & { value: string; onChange: (time: string) => void }) => {
  const isPhone = useIsPhone();
  const [typed, setTyped] = useState<string>();
  if (isPhone) {
    return (
      <TextInput
        {...props}
        type="time"
        w={120}
        value={value}
        onChange={(event) => onChange(event.currentTarget.value)}
      />
    );
  }
  return (
    <TextInput
      {...props}
      w={84}
      inputMode="numeric"
      placeholder="08:30"
      value={typed ?? value}
      onChange={({ currentTarget }) => {
        setTyped(currentTarget.value);
        onChange(timeFrom(currentTarget.value));
      }}
      onBlur={() => setTyped(undefined)}
    />
  );
};

/** `8:30`, `0830` and `8.30` become 08:30. Incomplete input stays. */
const timeFrom = (text: string) => {
  const [, hour, minute] = /^\s*(\d{1,2})[:.h]?(\d\d)\s*$/.exec(text) ?? [];
  return hour === undefined ? text : `${hour.padStart(2, '0')}:${minute}`;
};
