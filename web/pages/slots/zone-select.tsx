import { Select } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { app } from '#web/api.ts';
import { faultOf } from '#web/faults.ts';
import { Section } from '#web/parts/section.tsx';
import { showToast } from '#web/parts/toasts.tsx';
import { keys } from '#web/queries.ts';

const zones = ['UTC', ...Intl.supportedValuesOf('timeZone').filter((zone) => zone !== 'UTC')];

/** The zone whose clocks the times are on. */
export const ZoneSelect = ({ zone }: { zone: string }) => {
  const client = useQueryClient();
  const { mutate, isPending, variables } = useMutation({
    mutationFn: (timeZone: string) => app.changeSlotZone({ timeZone }),
    onSuccess: (slots) => client.setQueryData(keys.slots, slots),
    onError: (error) => showToast({ tone: 'red', text: faultOf(error).message }),
    onSettled: () => client.invalidateQueries({ queryKey: keys.slots }),
  });
  const known = zones.includes(zone) ? zones : [zone, ...zones];
  return (
    <Section title="Time zone">
      <Select
        aria-label="Time zone of the slots"
        description="The times stay on the clocks of this zone, in summer and in winter. Scheduled posts stay as they are."
        searchable
        nothingFoundMessage="No such zone"
        data={known.map((value) => ({ value, label: value.replaceAll('_', ' ') }))}
        value={isPending ? variables : zone}
        limit={60}
        onChange={(timeZone) => timeZone !== null && mutate(timeZone)}
      />
    </Section>
  );
};
