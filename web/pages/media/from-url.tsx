import { Button, Modal, TextInput } from '@mantine/core';
import { useState } from 'react';
import { useFormDraft } from '#web/parts/use-form-draft.ts';
import styles from './from-url.module.css';

export const FromUrl = ({
  opened,
  onClose,
  onAdd,
}: {
  opened: boolean;
  onClose: () => void;
  onAdd: (url: string) => void;
}) => {
  const [url, setUrl] = useFormDraft('address of a file', '');
  const [hasSubmitted, setHasSubmitted] = useState(false);
  const fault = /^https:\/\/[^\s/]+\.[^\s/]+/.test(url.trim()) ? undefined : 'Paste a link that begins with https://';
  const close = () => {
    setUrl('');
    setHasSubmitted(false);
    onClose();
  };
  return (
    <Modal opened={opened} onClose={close} title="Add from a link" size={460}>
      <form
        className={styles.form}
        onSubmit={(event) => {
          event.preventDefault();
          setHasSubmitted(true);
          if (fault) return;
          onAdd(url.trim());
          close();
        }}
      >
        <TextInput
          label="Link to an image or video"
          description="Posthorn fetches the file and keeps a copy."
          placeholder="https://"
          value={url}
          error={hasSubmitted ? fault : undefined}
          onChange={(event) => setUrl(event.currentTarget.value)}
          data-autofocus
        />
        <Button type="submit" variant="ink">
          Fetch
        </Button>
      </form>
    </Modal>
  );
};
