import { Button, TextInput } from '@mantine/core';
import { useState } from 'react';
import { app } from '#web/api.ts';
import { FaultBanner } from '#web/parts/fault-banner.tsx';

export const NewWorkspaceForm = () => {
  const [name, setName] = useState('');
  const [isCreating, setIsCreating] = useState(false);
  const [fault, setFault] = useState<unknown>();
  const make = async (event: React.FormEvent) => {
    event.preventDefault();
    if (name.trim() === '') return;
    setIsCreating(true);
    try {
      await app.createWorkspace({ name: name.trim() });
      location.assign('/');
    } catch (error) {
      setFault(error);
      setIsCreating(false);
    }
  };
  return (
    <form onSubmit={make} style={{ display: 'grid', gap: 16 }}>
      <TextInput
        label="Name"
        description="Accounts, posts and members of a workspace are its own."
        value={name}
        maxLength={100}
        data-autofocus
        onChange={(event) => setName(event.currentTarget.value)}
      />
      {fault !== undefined && <FaultBanner fault={fault} title="The workspace was not created" />}
      <Button type="submit" variant="ink" loading={isCreating} style={{ justifySelf: 'end' }}>
        Create workspace
      </Button>
    </form>
  );
};
