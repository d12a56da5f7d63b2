import { Button, Modal, Textarea } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { LibraryItem } from '#generated/app-client';
import { app } from '#web/base/api.ts';
import { keys } from '#web/base/queries.ts';
import { usePermissions } from '#web/base/session.ts';
import { CopyButton } from '#web/parts/copy.tsx';
import { DefinitionList } from '#web/parts/definition-list.tsx';
import { FaultBanner } from '#web/parts/fault-banner.tsx';
import { MainButton } from '#web/parts/main-button.tsx';
import { fileName, thumbnailOf } from '#web/parts/media-file.ts';
import { count, formatBytes } from '#web/parts/number.ts';
import { useFormDraft } from '#web/parts/use-form-draft.ts';
import { When } from '#web/parts/when.tsx';
import { formatLength } from '#web/previews/model.ts';
import styles from './media-details.module.css';

const maxAltLength = 2000;

export const MediaDetails = ({
  item,
  onClose,
  onDelete,
}: {
  item: LibraryItem | undefined;
  onClose: () => void;
  onDelete: (item: LibraryItem) => void;
}) => (
  <Modal opened={item !== undefined} onClose={onClose} title={item && fileName(item)} size={760}>
    {item && <Content key={item.id} item={item} onClose={onClose} onDelete={() => onDelete(item)} />}
  </Modal>
);

const Content = ({ item, onClose, onDelete }: { item: LibraryItem; onClose: () => void; onDelete: () => void }) => {
  const { canWrite } = usePermissions();
  const { id, kind, mimeType, width, height, bytes, durationMs, videoCodec, audioCodec, usedIn, createdAt } = item;
  const codecs = [videoCodec, audioCodec === 'none' ? 'no sound' : audioCodec].filter((codec) => codec !== undefined);
  return (
    <div className={styles.details}>
      <div className={styles.picture}>
        {kind === 'Video' ? (
          // biome-ignore lint/a11y/useMediaCaption: uploaded videos have no captions
          <video src={`/media/${id}`} poster={thumbnailOf(id)} controls preload="none" />
        ) : kind === 'Document' ? (
          <a href={`/media/${id}`} download={fileName(item)}>
            <img src={thumbnailOf(id)} alt={`Save ${fileName(item)}`} />
          </a>
        ) : (
          <img src={`/media/${id}`} alt={item.alt ?? ''} />
        )}
      </div>
      <div>
        {canWrite ? (
          <AltForm item={item} onSaved={onClose} />
        ) : (
          <p className="small">{item.alt ?? <span className="text-2">No alt text</span>}</p>
        )}
        <div className={styles.facts}>
          <DefinitionList
            items={[
              ['Kind', `${kind} (${formatOf(mimeType)})`],
              ['Size', kind === 'Document' ? formatBytes(bytes) : `${width} × ${height}, ${formatBytes(bytes)}`],
              ['Length', durationMs === undefined ? undefined : formatLength(durationMs)],
              ['Codecs', codecs.length === 0 ? undefined : codecs.join(', ')],
              ['Used in', usedIn === 0 ? 'No post' : count(usedIn, 'post')],
              ['Added', <When key="added" at={createdAt} form="full" />],
              [
                'Id',
                <span key="id" className={styles.id}>
                  <code className="one-line">{id}</code>
                  <CopyButton value={id} label="Copy the id" size={24} />
                </span>,
              ],
            ]}
          />
        </div>
        {canWrite && (
          <div className={styles.delete}>
            <MainButton
              variant="danger"
              size="xs"
              reason={usedIn > 0 ? `Take it out of ${count(usedIn, 'post')} first.` : undefined}
              onClick={onDelete}
            >
              Delete
            </MainButton>
          </div>
        )}
      </div>
    </div>
  );
};

const AltForm = ({ item: { id, alt = '', kind }, onSaved }: { item: LibraryItem; onSaved: () => void }) => {
  const client = useQueryClient();
  const [text, setText] = useFormDraft(`alt text of ${id}`, alt);
  const save = useMutation({
    mutationFn: () => app.changeMedia({ id, alt: text.trim() }),
    onSuccess: async () => {
      onSaved();
      await client.invalidateQueries({ queryKey: keys.media });
    },
  });
  const letters = [...text.trim()].length;
  const tooLong = letters > maxAltLength ? `${letters - maxAltLength} characters too many.` : undefined;
  return (
    <form
      className={styles.form}
      onSubmit={(event) => {
        event.preventDefault();
        if (!tooLong) save.mutate();
      }}
    >
      <Textarea
        label="Alt text"
        description={`What the ${kind.toLowerCase()} shows, for people who cannot see it. Posts that are not out yet use it at once.`}
        error={tooLong}
        autosize
        minRows={3}
        maxRows={8}
        value={text}
        dir="auto"
        onChange={(event) => setText(event.currentTarget.value)}
        data-autofocus
      />
      {save.error && <FaultBanner title="The text was not saved" fault={save.error} />}
      <Button type="submit" variant="ink" size="xs" loading={save.isPending} disabled={text.trim() === alt}>
        Save
      </Button>
    </form>
  );
};

/** `image/svg+xml` → `SVG` */
const formatOf = (mimeType: string) => (mimeType.split('/')[1] ?? mimeType).replace(/^x-|\+.*$/g, '').toUpperCase();
