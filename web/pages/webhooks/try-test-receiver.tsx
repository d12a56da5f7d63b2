import { Button } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { FlaskConical } from 'lucide-react';
import { app } from '#web/base/api.ts';
import { keys } from '#web/base/queries.ts';
import { showFault } from '#web/parts/toasts.tsx';

/** Only where there is a sandbox. */
export const TryTestReceiver = () => {
  const client = useQueryClient();
  const navigate = useNavigate();
  const { mutate, isPending } = useMutation({
    mutationFn: () => app.addTestReceiver(),
    onSuccess: async ({ id }) => {
      await client.invalidateQueries({ queryKey: keys.webhooks });
      await navigate({ to: '/settings/webhooks/$id', params: { id } });
    },
    onError: showFault,
  });
  return (
    <Button leftSection={<FlaskConical size={15} aria-hidden="true" />} loading={isPending} onClick={() => mutate()}>
      Try with a test receiver
    </Button>
  );
};
