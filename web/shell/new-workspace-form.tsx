import { Button, TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useEffect } from 'react';
import { app, workspaceOfTab } from '#web/base/api.ts';
import { useSession } from '#web/base/session.ts';
import { FaultBanner } from '#web/parts/fault-banner.tsx';
import { useFormDraft } from '#web/parts/use-form-draft.ts';
import { switchBy } from './open-workspace.ts';

export const NewWorkspaceForm = () => {
  const [name, setName] = useFormDraft('name of the new workspace', '');
  const { mutate, error, isPending, isSuccess } = useMutation({
    mutationFn: () => switchBy(() => app.createWorkspace({ name: name.trim() })),
    onSuccess: () => location.assign('/'),
  });
  const { workspace } = useSession();
  // The server opens a new workspace at once, so the session shows that it was created even if the response was lost.
  const isMade = error !== null && workspace?.id !== workspaceOfTab() && workspace?.name === name.trim();
  useEffect(() => {
    if (isMade) void switchBy(async () => location.assign('/'));
  }, [isMade]);
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
      <Button type="submit" variant="ink" loading={isPending || isSuccess || isMade} style={{ justifySelf: 'end' }}>
        Create workspace
      </Button>
    </form>
  );
};
