import { Button, Modal, Textarea } from '@mantine/core';
import { useState } from 'react';
import { app } from '#web/base/api.ts';
import { showIfAsked } from '#web/parts/approval-requests.ts';
import { FaultBanner } from '#web/parts/fault-banner.tsx';
import { thumbnailOf } from '#web/parts/media-file.ts';
import { useFormDraft } from '#web/parts/use-form-draft.ts';
import styles from './dialogs.module.css';
import { useEditor } from './use-editor.ts';

const maxLength = 2000;

/** Alt text belongs to the file, so it changes for all posts that use it. */
export default function AltDialog({ id, onClose }: { id: string; onClose: () => void }) {
  const { mediaOf, rememberMedia } = useEditor();
  const before = mediaOf(id)?.alt ?? '';
  const [alt, setAlt] = useFormDraft(`alt text of ${id}`, before);
  const [isSaving, setIsSaving] = useState(false);
  const [fault, setFault] = useState<unknown>();
  const save = async () => {
    setIsSaving(true);
    try {
      rememberMedia(await app.changeMedia({ id, alt: alt.trim() }));
      onClose();
    } catch (error) {
      if (showIfAsked(error)) onClose();
      else setFault(error);
    } finally {
      setIsSaving(false);
    }
  };
  // Escape and a click outside must not lose what was written; Cancel discards it.
  const leave = () => {
    if (isSaving) return;
    if (alt.trim() === before.trim()) onClose();
    else void save();
  };
  return (
    <Modal opened onClose={leave} title="Alt text" size={480}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void save();
        }}
      >
        <img className={styles.picture} src={thumbnailOf(id)} alt="" />
        <Textarea
          label="What it shows"
          description="Read out to people who cannot see it. Posts that are not out yet get the new text."
          autosize
          minRows={3}
          maxRows={8}
          maxLength={maxLength}
          dir="auto"
          value={alt}
          onChange={(event) => setAlt(event.currentTarget.value)}
          data-autofocus
        />
        {fault !== undefined && <FaultBanner fault={fault} title="The alt text was not saved" />}
        <div className={styles.buttons}>
          <Button variant="quiet" onClick={onClose}>
            Cancel
          </Button>
          <Button variant="ink" type="submit" loading={isSaving}>
            Save alt text
          </Button>
        </div>
      </form>
    </Modal>
  );
}
