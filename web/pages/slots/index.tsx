import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Plus } from 'lucide-react';
import { useState } from 'react';
import type { Slot } from '#generated/app-client';
import { FaultBanner } from '#web/parts/fault.tsx';
import { PageHeader } from '#web/parts/page-header.tsx';
import { Column, Section } from '#web/parts/section.tsx';
import { SkeletonRows } from '#web/parts/skeleton-rows.tsx';
import { queries } from '#web/queries.ts';
import { useMay, useZone } from '#web/session.ts';
import { NextFree } from './next-free.tsx';
import { NoSlots } from './no-slots.tsx';
import { SlotForm } from './slot-form.tsx';
import { SlotList } from './slot-list.tsx';
import { ZoneSelect } from './zone-select.tsx';

/** The weekly times of the workspace. */
const SlotsPage = () => {
  const { data, error, refetch } = useQuery(queries.slots);
  const { write } = useMay();
  const own = useZone();
  const [changing, setChanging] = useState<Slot | 'new'>();
  const zone = data?.timeZone || own;
  const isEmpty = data?.slots.length === 0;
  return (
    <>
      <PageHeader
        title="Slots"
        crumb={{ label: 'Workspace', link: { to: '/settings/workspace' } }}
        actions={
          write &&
          data &&
          !isEmpty && (
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
        {error && <FaultBanner fault={error} title="The slots could not be loaded" onRetry={() => void refetch()} />}
        {!data && !error && <SkeletonRows rows={4} height={54} label="Loading slots" />}
        {isEmpty && <NoSlots onAdd={() => setChanging('new')} />}
        {data && !isEmpty && (
          <>
            <Section title="Weekly times" note={write ? undefined : 'Owners, admins and editors change them.'} card>
              <SlotList slots={data.slots} onChange={setChanging} />
            </Section>
            <NextFree />
            {write && <ZoneSelect zone={zone} />}
          </>
        )}
      </Column>
      <SlotForm slot={changing} zone={zone} onClose={() => setChanging(undefined)} />
    </>
  );
};

export default SlotsPage;
