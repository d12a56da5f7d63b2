import { PasswordInput } from '@mantine/core';

/** `isNew`: the person chooses the password here. */
export const PasswordField = ({
  label = 'Password',
  help,
  value,
  error,
  onChange,
  isNew = false,
  autoFocus = false,
  className = '',
}: {
  label?: string;
  help?: string;
  value: string;
  error?: React.ReactNode;
  onChange: (value: string) => void;
  isNew?: boolean;
  autoFocus?: boolean;
  className?: string | undefined;
}) => (
  <PasswordInput
    className={className}
    label={label}
    description={help}
    autoComplete={isNew ? 'new-password' : 'current-password'}
    required
    withAsterisk={false}
    {...(isNew && { minLength: 8 })}
    autoFocus={autoFocus}
    value={value}
    error={error}
    onChange={(event) => onChange(event.currentTarget.value)}
  />
);
