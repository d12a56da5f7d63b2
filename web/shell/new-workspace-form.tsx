import { Button, TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { app } from '#web/api.ts';
import { FaultBanner } from '#web/parts/fault-banner.tsx';

export const NewWorkspaceForm = () => {
  const [name, setName] = useState('');
  const { mutate, error, isPending, isSuccess } = useMutation({
    mutationFn: () => app.createWorkspace({ name: name.trim() }),
    onSuccess: () => location.assign('/'),
  });
  const create = (event: React.FormEvent) => {
    event.preventDefault();
    if (name.trim() !== '') mutate();
  };
  return (
    <form onSubmit={create} style={{ display: 'grid', gap: 16 }}>
      <TextInput
        label="Name"
        description="Accounts, posts and members of a workspace are its own."
        value={name}
        maxLength={100}
        data-autofocus
        onChange={(event) => setName(event.currentTarget.value)}
      />
      {error && <FaultBanner fault={error} title="The workspace was not created" />}
      <Button type="submit" variant="ink" loading={isPending || isSuccess} style={{ justifySelf: 'end' }}>
        Create workspace
      </Button>
    </form>
  );
};
