import { Select, type SelectProps } from '@mantine/core';

const zones = ['UTC', ...Intl.supportedValuesOf('timeZone').filter((zone) => zone !== 'UTC')];

export const ZoneSelect = ({
  value,
  first,
  onChange,
  ...props
}: Pick<SelectProps, 'label' | 'aria-label' | 'description' | 'comboboxProps'> & {
  value: string;
  /** An extra choice that is not a zone, listed first. */
  first?: { value: string; label: string };
  onChange: (zone: string) => void;
}) => {
  // Browsers may not list a zone that the server knows.
  const isListed = zones.includes(value) || value === first?.value;
  const options = (isListed ? zones : [value, ...zones]).map((zone) => ({
    value: zone,
    label: zone.replaceAll('_', ' '),
  }));
  return (
    <Select
      {...props}
      searchable
      nothingFoundMessage="No such zone"
      data={first ? [first, ...options] : options}
      value={value}
      limit={60}
      onChange={(zone) => zone !== null && onChange(zone)}
    />
  );
};
