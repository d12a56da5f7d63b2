import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Plus } from 'lucide-react';
import type { Slot } from '#generated/app-client';
import { queries } from '#web/base/queries.ts';
import { usePermissions, useZone } from '#web/base/session.ts';
import { Loaded } from '#web/parts/loaded.tsx';
import { PageHeader } from '#web/parts/page-header.tsx';
import { Column, Section } from '#web/parts/section.tsx';
import { useFormDraft } from '#web/parts/use-form-draft.ts';
import { NextFree } from './next-free.tsx';
import { NoSlots } from './no-slots.tsx';
import { SlotForm } from './slot-form.tsx';
import { SlotList } from './slot-list.tsx';
import { SlotZone } from './slot-zone.tsx';

const SlotsPage = () => {
  const query = useQuery(queries.slots);
  const { data } = query;
  const { canWrite } = usePermissions();
  const own = useZone();
  const [changing, setChanging] = useFormDraft<Slot | 'new' | undefined>('slot', undefined);
  const zone = data?.timeZone || own;
  return (
    <>
      <PageHeader
        title="Slots"
        crumb={{ label: 'Workspace', link: { to: '/settings/workspace' } }}
        actions={
          canWrite &&
          data &&
          data.slots.length > 0 && (
            <Button
              variant="ink"
              leftSection={<Plus size={16} aria-hidden="true" />}
              onClick={() => setChanging('new')}
            >
              Add slot
            </Button>
          )
        }
      />
      <Column width="narrow">
        <Loaded query={query} title="The slots could not be loaded" rows={4} height={54} label="Loading slots">
          {({ slots }) =>
            slots.length === 0 ? (
              <NoSlots onAdd={() => setChanging('new')} />
            ) : (
              <>
                <Section
                  title="Weekly times"
                  note={canWrite ? undefined : 'Owners, admins and editors change them.'}
                  card
                >
                  <SlotList slots={slots} onChange={setChanging} />
                </Section>
                <NextFree />
                {canWrite && <SlotZone zone={zone} />}
              </>
            )
          }
        </Loaded>
      </Column>
      <SlotForm slot={changing} zone={zone} onClose={() => setChanging(undefined)} />
    </>
  );
};

export default SlotsPage;
