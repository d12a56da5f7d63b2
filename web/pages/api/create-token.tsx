import { Button, Modal, TextInput } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { NewToken } from '#generated/app-client';
import { app } from '#web/base/api.ts';
import { madeOnce } from '#web/base/faults.ts';
import { keys } from '#web/base/queries.ts';
import { useWorkspace } from '#web/base/session.ts';
import { Banner } from '#web/parts/banner.tsx';
import { FaultBanner } from '#web/parts/fault-banner.tsx';
import { useFormDraft } from '#web/parts/use-form-draft.ts';

const CreateToken = ({
  onClose,
  onMade,
  isReplacing,
}: {
  onClose: () => void;
  onMade: (token: NewToken) => void;
  /** The previous token is still on screen, and this one replaces it. */
  isReplacing: boolean;
}) => {
  const client = useQueryClient();
  const workspace = useWorkspace();
  const [name, setName] = useFormDraft('name of the token', '');
  const { mutate, error, isPending } = useMutation({
    mutationFn: () => app.createToken({ name: name.trim() }),
    onSuccess: (token) => {
      onMade(token);
      onClose();
      void client.invalidateQueries({ queryKey: keys.tokens });
    },
  });
  const create = (event: React.FormEvent) => {
    event.preventDefault();
    if (!isPending && name.trim() !== '') mutate();
  };
  return (
    <Modal opened onClose={onClose} title="Create a token" size={440}>
      <form className="fields" onSubmit={create}>
        {isReplacing && (
          <Banner tone="orange" title="The last token is still shown">
            It disappears when you create this one. Store it first.
          </Banner>
        )}
        <TextInput
          label="Name"
          placeholder="Laptop, Claude Code"
          description={`What it is for. It acts as you in ${workspace.name}.`}
          value={name}
          maxLength={100}
          data-autofocus
          onChange={(event) => setName(event.currentTarget.value)}
        />
        {error && <FaultBanner fault={error} title="The token was not created" unanswered={madeOnce} />}
        <div className="buttons">
          <Button variant="quiet" onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit" variant="ink" loading={isPending} aria-disabled={name.trim() === '' || undefined}>
            Create token
          </Button>
        </div>
      </form>
    </Modal>
  );
};

export default CreateToken;
