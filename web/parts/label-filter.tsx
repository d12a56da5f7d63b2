import { Tag } from 'lucide-react';
import { FilterPopover } from './filter-popover.tsx';
import { LabelDot } from './label-chip.tsx';
import { useLabels } from './use-labels.ts';

/** Hidden while there are no labels. */
export const LabelFilter = ({
  chosen,
  onChange,
  size = 'sm',
}: {
  chosen: readonly string[];
  onChange: (ids: readonly string[]) => void;
  size?: 'xs' | 'sm';
}) => {
  const { list } = useLabels();
  if (list.length === 0 && chosen.length === 0) return null;
  return (
    <FilterPopover
      name="Labels"
      icon={Tag}
      size={size}
      choices={list.map(({ id, name, color }) => ({ id, name, mark: <LabelDot color={color} /> }))}
      chosen={chosen}
      onChange={onChange}
    />
  );
};
