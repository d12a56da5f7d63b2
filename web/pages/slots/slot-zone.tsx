import { useQueryClient } from '@tanstack/react-query';
import { app } from '#web/base/api.ts';
import { keys } from '#web/base/queries.ts';
import { Section } from '#web/parts/section.tsx';
import { useOptimisticChange, usePendingChanges } from '#web/parts/use-optimistic-change.ts';
import { ZoneSelect } from '#web/parts/zone-select.tsx';

const key = ['slot zone'];

export const SlotZone = ({ zone }: { zone: string }) => {
  const client = useQueryClient();
  const { mutate } = useOptimisticChange({
    key,
    send: (timeZone: string) => app.changeSlotZone({ timeZone }),
    onSuccess: async (slots) => {
      await client.cancelQueries({ queryKey: keys.slots });
      client.setQueryData(keys.slots, slots);
      // Refetch the next free slot as well.
      void client.invalidateQueries({ queryKey: keys.slots });
    },
  });
  return (
    <Section title="Time zone">
      <ZoneSelect
        aria-label="Time zone of the slots"
        description="The times stay on the clocks of this zone, in summer and in winter. Scheduled posts stay as they are."
        value={usePendingChanges<string>(key).at(-1) ?? zone}
        onChange={(timeZone) => mutate(timeZone)}
      />
    </Section>
  );
};
