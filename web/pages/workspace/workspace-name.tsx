import { Button, TextInput } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { app } from '#web/base/api.ts';
import { describeFailure, fieldFault } from '#web/base/faults.ts';
import { keys } from '#web/base/queries.ts';
import { usePermissions, useWorkspace } from '#web/base/session.ts';
import { Section } from '#web/parts/section.tsx';
import { showToast } from '#web/parts/toasts.tsx';
import { useFormDraft } from '#web/parts/use-form-draft.ts';
import { WhoMay } from '#web/parts/who-may.tsx';
import styles from './workspace.module.css';

export const WorkspaceName = () => {
  const { name } = useWorkspace();
  const { isOwner } = usePermissions();
  const [newName, setNewName] = useFormDraft<string | undefined>('name of the workspace', undefined);
  const typed = newName ?? name;
  const client = useQueryClient();
  const { mutate, error, isPending } = useMutation({
    mutationFn: () => app.changeWorkspace({ name: typed.trim() }),
    onSuccess: (session) => {
      client.setQueryData(keys.session, session);
      setNewName(undefined);
      showToast({ text: `The workspace is called ${session.workspace?.name} now.` });
    },
  });
  if (!isOwner) {
    return (
      <Section title="Name" note={<WhoMay act="change it" roles={['owner']} />}>
        <p dir="auto">{name}</p>
      </Section>
    );
  }
  const isChanged = typed.trim() !== '' && typed.trim() !== name;
  return (
    <Section title="Name">
      <form
        className={styles.form}
        onSubmit={(event) => {
          event.preventDefault();
          if (isChanged) mutate();
        }}
      >
        <TextInput
          className={styles.grow}
          aria-label="Name of the workspace"
          value={typed}
          maxLength={100}
          error={error && (fieldFault(error, 'name', 'The name') ?? describeFailure(error))}
          onChange={(event) => setNewName(event.currentTarget.value)}
        />
        {isChanged && (
          <Button type="submit" variant="ink" loading={isPending}>
            Save
          </Button>
        )}
      </form>
    </Section>
  );
};
