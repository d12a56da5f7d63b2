import { Select } from '@mantine/core';
import type { Role } from '#web/base/session.ts';
import { rolesFor } from './roles.ts';

export const RoleSelect = ({
  own,
  value,
  onChange,
  ...props
}: {
  /** Role of the person who chooses. */
  own: Role;
  value: Role;
  onChange: (role: Role) => void;
  label?: string;
  'aria-label'?: string;
  disabled?: boolean;
}) => {
  const roles = rolesFor(own);
  return (
    <Select
      {...props}
      w={128}
      data={roles.map(({ value: role, label }) => ({ value: role, label }))}
      value={value}
      comboboxProps={{ width: 260, position: 'bottom-end' }}
      renderOption={({ option }) => (
        <span>
          {option.label}
          <br />
          <span className="caption text-3">{roles.find((role) => role.value === option.value)?.may}</span>
        </span>
      )}
      onChange={(role) => role && role !== value && onChange(role as Role)}
    />
  );
};
