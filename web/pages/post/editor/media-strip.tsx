import { useQuery } from '@tanstack/react-query';
import { ChevronLeft, ChevronRight, ImagePlus, TriangleAlert, X } from 'lucide-react';
import { lazy, Suspense, useRef, useState } from 'react';
import { app } from '#web/base/api.ts';
import { keys } from '#web/base/queries.ts';
import { fileName, thumbnailOf } from '#web/parts/media-file.ts';
import { useFormDraft } from '#web/parts/use-form-draft.ts';
import { changeItem, type Item, moveEntry } from './draft.ts';
import { FileMenu } from './file-menu.tsx';
import styles from './media-strip.module.css';
import { useEditor } from './use-editor.ts';
import { fields } from './use-reveal.ts';
import { type Upload, type Uploads, withMedia } from './use-uploads.ts';

const AltDialog = lazy(() => import('./alt-dialog.tsx'));
const LibraryDialog = lazy(() => import('./library-dialog.tsx'));

export const MediaStrip = ({ item, index, uploads }: { item: Item; index: number; uploads: Uploads }) => {
  const { editSide, readOnly, mediaOf } = useEditor();
  const [describing, setDescribing] = useFormDraft<string | undefined>(`file of part ${index}`, undefined);
  // After a new sign-in the dialog reopens. Wait for its file, or it would start without the alt text.
  const isDescribing = describing !== undefined && mediaOf(describing) !== undefined;
  const set = (media: readonly string[]) => editSide(changeItem(index, (one) => ({ ...one, media })));
  const focus = (file: number) =>
    requestAnimationFrame(() => (document.getElementById(fields.file(index, file)) ?? add())?.focus());
  const add = () => document.getElementById(fields.media(index));
  return (
    <div className={styles.strip}>
      <ol className={styles.files} aria-label="Media">
        {item.media.map((id, file) => (
          <li key={id} className={styles.file}>
            <Tile
              id={id}
              position={file}
              count={item.media.length}
              onMove={(by) => {
                set(moveEntry(item.media, file, by));
                focus(file + by);
              }}
              onRemove={() => {
                set(item.media.filter((one) => one !== id));
                focus(Math.max(0, file - 1));
              }}
            />
            <AltLine id={id} field={fields.file(index, file)} onOpen={() => setDescribing(id)} />
          </li>
        ))}
        {uploads.of(item.key).map((upload) => (
          <li key={upload.key} className={styles.file}>
            <UploadTile upload={upload} />
          </li>
        ))}
      </ol>
      {!readOnly && <AddMedia itemKey={item.key} index={index} uploads={uploads} />}
      <Suspense>{isDescribing && <AltDialog id={describing} onClose={() => setDescribing(undefined)} />}</Suspense>
    </div>
  );
};

const Tile = ({
  id,
  position,
  count,
  onMove,
  onRemove,
}: {
  id: string;
  position: number;
  count: number;
  onMove: (by: number) => void;
  onRemove: () => void;
}) => {
  const { mediaOf, readOnly } = useEditor();
  const mediaItem = mediaOf(id);
  const name = `${mediaItem?.kind ?? 'Image'} ${position + 1}`;
  return (
    <div className={styles.tile}>
      <img src={thumbnailOf(id)} alt={mediaItem?.alt ?? name} loading="lazy" />
      <span className={styles.order} aria-hidden="true">
        {position + 1}
      </span>
      {!readOnly && (
        <span className={styles.tools}>
          <button
            type="button"
            aria-label={`Move ${name} left`}
            aria-disabled={position === 0}
            onClick={() => position > 0 && onMove(-1)}
          >
            <ChevronLeft size={15} aria-hidden="true" />
          </button>
          <button
            type="button"
            aria-label={`Move ${name} right`}
            aria-disabled={position === count - 1}
            onClick={() => position < count - 1 && onMove(1)}
          >
            <ChevronRight size={15} aria-hidden="true" />
          </button>
          <button type="button" aria-label={`Remove ${name}`} onClick={onRemove}>
            <X size={15} aria-hidden="true" />
          </button>
        </span>
      )}
    </div>
  );
};

const AltLine = ({ id, field, onOpen }: { id: string; field: string; onOpen: () => void }) => {
  const { mediaOf, readOnly } = useEditor();
  const mediaItem = mediaOf(id);
  const alt = mediaItem?.alt;
  // No network supports alt text for documents.
  if (mediaItem?.kind === 'Document') return <DocumentName id={id} />;
  // Not loaded yet, so whether it has alt text is unknown.
  if (readOnly || mediaItem === undefined) return <span className={styles.alt}>{alt ?? ''}</span>;
  return (
    <button type="button" id={field} className={styles.alt} data-missing={!alt || undefined} onClick={onOpen}>
      {alt ? (
        <>
          <b>Alt</b> <span dir="auto">{alt}</span>
        </>
      ) : (
        <>
          <TriangleAlert size={13} aria-hidden="true" /> Add alt text
        </>
      )}
    </button>
  );
};

/** Thumbnails of documents look alike, so show the file name. */
const DocumentName = ({ id }: { id: string }) => {
  const { data } = useQuery({
    queryKey: [...keys.media, 'of', id],
    queryFn: ({ signal }) => app.searchMedia({ ids: id }, { signal }),
  });
  const [file] = data?.media ?? [];
  return <span className={styles.alt}>{file ? fileName(file) : 'PDF'}</span>;
};

const UploadTile = ({ upload: { name, url, kind, share } }: { upload: Upload }) => {
  const percent = Math.round(share * 100);
  return (
    <>
      <div className={styles.tile} data-waiting="">
        {kind === 'Video' && <video src={url} muted />}
        {kind === 'Image' && <img src={url} alt="" />}
        <span
          className={styles.progress}
          role="progressbar"
          aria-label={`Adding ${name}`}
          aria-valuenow={percent}
          aria-valuemin={0}
          aria-valuemax={100}
        >
          <i style={{ width: `${percent}%` }} />
        </span>
      </div>
      <span className={styles.alt}>{name}</span>
    </>
  );
};

/** `icon`: the tool below the text; otherwise the tile after the files. */
export const AddMedia = ({
  itemKey,
  index,
  uploads,
  icon = false,
}: {
  itemKey: string;
  index: number;
  uploads: Uploads;
  icon?: boolean;
}) => {
  const { editSide } = useEditor();
  const input = useRef<HTMLInputElement>(null);
  const [isChoosing, setIsChoosing] = useState(false);
  return (
    <>
      <FileMenu onDevice={() => input.current?.click()} onLibrary={() => setIsChoosing(true)}>
        <button
          type="button"
          id={icon ? fields.media(index) : undefined}
          className={icon ? styles.icon : styles.add}
          aria-label={icon ? 'Add media' : 'Add more media'}
        >
          <ImagePlus size={icon ? 18 : 20} strokeWidth={1.75} aria-hidden="true" />
        </button>
      </FileMenu>
      <input
        ref={input}
        type="file"
        multiple
        accept="image/*,video/*,application/pdf"
        hidden
        aria-label="Files from this device"
        onChange={(event) => {
          const { files } = event.currentTarget;
          if (files) uploads.add([...files], itemKey);
          event.currentTarget.value = '';
        }}
      />
      <Suspense>
        {isChoosing && (
          <LibraryDialog onClose={() => setIsChoosing(false)} onChoose={(ids) => editSide(withMedia(itemKey, ids))} />
        )}
      </Suspense>
    </>
  );
};
