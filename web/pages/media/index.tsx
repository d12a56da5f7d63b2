import { ActionIcon, Button, SegmentedControl, TextInput } from '@mantine/core';
import { useDebouncedCallback } from '@mantine/hooks';
import { useQueryClient } from '@tanstack/react-query';
import { Image, ImageUp, Link2, Search, SearchX, Upload } from 'lucide-react';
import { useCallback, useEffect, useRef, useState } from 'react';
import type { LibraryItem } from '#generated/app-client';
import { app } from '#web/base/api.ts';
import { keys } from '#web/base/queries.ts';
import { usePermissions } from '#web/base/session.ts';
import { ConfirmDialog } from '#web/parts/confirm-dialog.tsx';
import { EmptyState } from '#web/parts/empty-state.tsx';
import { focusAfter, useListKeys } from '#web/parts/list.tsx';
import { Loaded } from '#web/parts/loaded.tsx';
import { fileName } from '#web/parts/media-file.ts';
import { PageHeader } from '#web/parts/page-header.tsx';
import { Column } from '#web/parts/section.tsx';
import { ShowMore } from '#web/parts/show-more.tsx';
import { useDrop } from '#web/parts/use-drop.ts';
import { useFormDraft } from '#web/parts/use-form-draft.ts';
import { FromUrl } from './from-url.tsx';
import { MediaCard } from './media-card.tsx';
import { MediaDetails } from './media-details.tsx';
import styles from './page.module.css';
import { UploadList } from './upload-list.tsx';
import { filters, useLibrary } from './use-library.ts';
import { useUploads } from './use-uploads.ts';

const accepted =
  'image/jpeg,image/png,image/gif,image/webp,image/avif,image/heic,video/mp4,video/quicktime,video/webm,application/pdf';

export default function MediaPage() {
  const { canWrite } = usePermissions();
  const client = useQueryClient();
  const library = useLibrary();
  const { media, isFiltered } = library;
  const { uploads, addFiles, addUrl, again, dismiss } = useUploads();
  const isOver = useDrop(canWrite, addFiles);
  const picker = useRef<HTMLInputElement>(null);
  const grid = useRef<HTMLUListElement>(null);
  const [openId, setOpenId] = useFormDraft<string | undefined>('file', undefined);
  const [deleting, setDeleting] = useState<LibraryItem>();
  const [asksUrl, setAsksUrl] = useFormDraft('file from a link', false);
  const inList = media?.find(({ id }) => id === openId);
  // The open file stays open when it no longer fits the filter, such as `No alt text`: somebody may be typing.
  const opened = useRef<LibraryItem>(undefined);
  if (openId === undefined || inList) opened.current = inList;
  useListKeys(grid);
  const pick = useCallback(() => picker.current?.click(), []);
  const isEmpty = media?.length === 0 && !isFiltered && !library.isPlaceholderData;

  const remove = async ({ id }: LibraryItem) => {
    await app.deleteMedia({ id }).catch(async (refusal: unknown) => {
      // A post may have started to use the file since the last refetch.
      await client.invalidateQueries({ queryKey: keys.media });
      throw refusal;
    });
    focusAfter(grid.current, id);
    await client.invalidateQueries({ queryKey: keys.media });
  };

  return (
    <>
      <PageHeader
        title="Media"
        actions={
          canWrite && (
            <>
              <Button
                className="desk-only"
                leftSection={<Link2 size={16} aria-hidden="true" />}
                onClick={() => setAsksUrl(true)}
              >
                From a link
              </Button>
              <ActionIcon className="phone-only" size={40} aria-label="From a link" onClick={() => setAsksUrl(true)}>
                <Link2 size={18} aria-hidden="true" />
              </ActionIcon>
              <Button variant="ink" leftSection={<Upload size={16} aria-hidden="true" />} onClick={pick}>
                Upload
              </Button>
            </>
          )
        }
      />
      <Column width="full">
        <input
          ref={picker}
          type="file"
          multiple
          hidden
          accept={accepted}
          aria-label="Files to upload"
          onChange={(event) => {
            addFiles(event.currentTarget.files ?? []);
            event.currentTarget.value = '';
          }}
        />
        {!isEmpty && <Filters library={library} />}
        {uploads.length > 0 && <UploadList uploads={uploads} onAgain={again} onDismiss={dismiss} />}
        <Loaded
          query={library.isFetchNextPageError ? { ...library, error: null } : library}
          title="The library could not be loaded. Your files are safe."
          rows={6}
          height={120}
          label="Loading the library"
        />
        {media && media.length > 0 && (
          <ul ref={grid} className={styles.grid} aria-label="Media">
            {media.map((item) => (
              <MediaCard key={item.id} item={item} onOpen={setOpenId} />
            ))}
          </ul>
        )}
        {library.hasNextPage && <ShowMore query={library} title="More files could not be loaded" />}
        {media?.length === 0 && isFiltered && (
          <EmptyState
            icon={SearchX}
            title="Nothing found"
            action={<Button onClick={() => void library.clear()}>Show all</Button>}
          >
            No file fits this search.
          </EmptyState>
        )}
        {isEmpty && <Nothing onPick={pick} onUrl={() => setAsksUrl(true)} />}
        {isOver && (
          <div className={styles.over} aria-hidden="true">
            <ImageUp size={28} /> Drop to upload
          </div>
        )}
      </Column>
      <MediaDetails
        item={opened.current}
        onClose={() => setOpenId(undefined)}
        onDelete={(item) => {
          setOpenId(undefined);
          setDeleting(item);
        }}
      />
      <FromUrl opened={asksUrl} onClose={() => setAsksUrl(false)} onAdd={addUrl} />
      <ConfirmDialog
        opened={deleting !== undefined}
        onClose={() => setDeleting(undefined)}
        title={`Delete ${deleting ? fileName(deleting) : ''}?`}
        act="Delete"
        kind="danger"
        onConfirm={async () => {
          if (deleting) await remove(deleting);
        }}
      >
        <p>The file is gone for good. Posts that are out keep their own copy on the networks.</p>
      </ConfirmDialog>
    </>
  );
}

const typingMs = 250;

const Filters = ({ library }: { library: ReturnType<typeof useLibrary> }) => {
  const [typed, setTyped] = useState(library.query);
  const searched = useRef(library.query);
  const search = useDebouncedCallback((text: string) => {
    searched.current = text.trim();
    void library.setQuery(searched.current);
  }, typingMs);
  useEffect(() => {
    // The address changed through Back or Show all, not through typing.
    if (library.query !== searched.current) setTyped(library.query);
    searched.current = library.query;
  }, [library.query]);
  return (
    <div className={styles.filters}>
      <SegmentedControl
        aria-label="Show"
        value={library.filter}
        onChange={(value) => void library.setFilter(value)}
        data={filters.map(({ value, label }) => ({ value, label }))}
      />
      <TextInput
        className={styles.search}
        aria-label="Search by name or alt text"
        placeholder="Name or alt text"
        leftSection={<Search size={16} aria-hidden="true" />}
        value={typed}
        onChange={(event) => {
          setTyped(event.currentTarget.value);
          search(event.currentTarget.value);
        }}
      />
    </div>
  );
};

const Nothing = ({ onPick, onUrl }: { onPick: () => void; onUrl: () => void }) => {
  const { canWrite } = usePermissions();
  if (!canWrite) {
    return (
      <EmptyState icon={Image} title="No media yet">
        An owner, admin or editor can upload images and videos.
      </EmptyState>
    );
  }
  return (
    <div className={styles.dropzone}>
      <EmptyState
        icon={ImageUp}
        title="Drop images and videos here"
        action={
          <>
            <Button variant="ink" onClick={onPick}>
              Choose files
            </Button>
            <Button onClick={onUrl}>From a link</Button>
          </>
        }
      >
        Or paste them. JPEG, PNG, GIF, WebP, AVIF, MP4, MOV, WebM and PDF. Metadata such as the location is removed,
        except from PDFs.
      </EmptyState>
    </div>
  );
};
