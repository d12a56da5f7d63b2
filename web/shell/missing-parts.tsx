import { Button } from '@mantine/core';
import { notifyManager, type Query, useQueryClient } from '@tanstack/react-query';
import { useSyncExternalStore } from 'react';
import { Banner } from '#web/parts/banner.tsx';
import { capitalize } from '#web/parts/capitalize.ts';
import { joinWithAnd } from '#web/parts/join-names.ts';
import { shownFaults } from '#web/parts/shown-faults.ts';

const isMissing = (query: Query) => {
  const { data, error } = query.state;
  const isFault = data === undefined && error !== null;
  return isFault && query.meta?.part !== undefined && query.isActive() && !shownFaults.has(error);
};

/** `accounts and networks`: parts of this page that could not be loaded. */
export const useMissingParts = (): string => {
  const cache = useQueryClient().getQueryCache();
  return useSyncExternalStore(
    (listener) => {
      const ends = [cache.subscribe(notifyManager.batchCalls(listener)), shownFaults.subscribe(listener)];
      return () => {
        for (const end of ends) end();
      };
    },
    () => joinWithAnd([...new Set(cache.findAll({ predicate: isMissing }).map(({ meta }) => String(meta?.part)))]),
  );
};

export const MissingParts = ({ names }: { names: string }) => {
  const client = useQueryClient();
  return (
    <Banner
      tone="red"
      title={`${capitalize(names)} could not be loaded`}
      action={
        <Button size="xs" onClick={() => void client.refetchQueries({ predicate: isMissing })}>
          Try again
        </Button>
      }
    />
  );
};
