import { Select } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { app } from '#web/api.ts';
import { Section } from '#web/parts/section.tsx';
import { useOptimisticChange, usePendingChanges } from '#web/parts/use-optimistic-change.ts';
import { keys } from '#web/queries.ts';

const zones = ['UTC', ...Intl.supportedValuesOf('timeZone').filter((zone) => zone !== 'UTC')];

const key = ['slot zone'];

/** The time zone of the slots. */
export const ZoneSelect = ({ zone }: { zone: string }) => {
  const client = useQueryClient();
  const { mutate } = useOptimisticChange({
    key,
    send: (timeZone: string) => app.changeSlotZone({ timeZone }),
    answered: async (slots) => {
      await client.cancelQueries({ queryKey: keys.slots });
      client.setQueryData(keys.slots, slots);
      // Refetch the next free slot as well.
      void client.invalidateQueries({ queryKey: keys.slots });
    },
  });
  const shown = usePendingChanges<string>(key).at(-1) ?? zone;
  const known = zones.includes(shown) ? zones : [shown, ...zones];
  return (
    <Section title="Time zone">
      <Select
        aria-label="Time zone of the slots"
        description="The times stay on the clocks of this zone, in summer and in winter. Scheduled posts stay as they are."
        searchable
        nothingFoundMessage="No such zone"
        data={known.map((value) => ({ value, label: value.replaceAll('_', ' ') }))}
        value={shown}
        limit={60}
        onChange={(timeZone) => timeZone !== null && mutate(timeZone)}
      />
    </Section>
  );
};
