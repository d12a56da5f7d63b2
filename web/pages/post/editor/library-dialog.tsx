import { Button, Modal, TextInput } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query';
import { Check, Images, Search } from 'lucide-react';
import { useState } from 'react';
import type { MediaItem } from '#generated/app-client';
import { app } from '#web/base/api.ts';
import { keys } from '#web/base/queries.ts';
import { EmptyState } from '#web/parts/empty-state.tsx';
import { Loaded } from '#web/parts/loaded.tsx';
import { MainButton } from '#web/parts/main-button.tsx';
import { fileName, thumbnailOf } from '#web/parts/media-file.ts';
import { count } from '#web/parts/number.ts';
import styles from './dialogs.module.css';
import { useEditor } from './use-editor.ts';

/** Adds files in the order in which they were chosen. */
export default function LibraryDialog({
  accepts,
  single = false,
  onClose,
  onChoose,
}: {
  /** MIME types; default all. */
  accepts?: readonly string[] | undefined;
  single?: boolean;
  onClose: () => void;
  onChoose: (ids: readonly string[]) => void;
}) {
  const { rememberMedia } = useEditor();
  const [chosen, setChosen] = useState<readonly string[]>([]);
  const [typed, setTyped] = useState('');
  const [query] = useDebouncedValue(typed.trim(), typingMs);
  const kind = kindOf(accepts);
  const library = useInfiniteQuery({
    queryKey: [...keys.media, 'choose', kind, query],
    queryFn: ({ pageParam, signal }) =>
      app.searchMedia({ query, ...(kind && { kind }), ...(pageParam && { cursor: pageParam }) }, { signal }),
    initialPageParam: '',
    getNextPageParam: ({ nextCursor }) => nextCursor,
    placeholderData: keepPreviousData,
  });
  const all = library.data?.pages.flatMap((page) => page.media) ?? [];
  const media = all.filter(({ mimeType }) => accepts?.includes(mimeType) ?? true);
  const toggle = (id: string) =>
    setChosen((ids) => (ids.includes(id) ? ids.filter((one) => one !== id) : single ? [id] : [...ids, id]));
  const add = () => {
    rememberMedia(...media.filter(({ id }) => chosen.includes(id)));
    onChoose(chosen);
    onClose();
  };
  return (
    <Modal opened onClose={onClose} title="Media library" size={720}>
      <TextInput
        mb={12}
        aria-label="Search by name or alt text"
        placeholder="Name or alt text"
        leftSection={<Search size={16} aria-hidden="true" />}
        value={typed}
        onChange={(event) => setTyped(event.currentTarget.value)}
      />
      <Loaded query={library} title="The library could not be loaded" rows={3} height={110}>
        {() =>
          media.length === 0 &&
          !library.hasNextPage && (
            <EmptyState icon={Images} title={query ? 'Nothing found' : 'No file of this kind yet'} level={3}>
              {query ? 'No file has this in its name or alt text.' : 'What you add to a post is kept here.'}
            </EmptyState>
          )
        }
      </Loaded>
      <div className={styles.grid}>
        {media.map((item) => {
          const place = chosen.indexOf(item.id);
          return (
            <button
              key={item.id}
              type="button"
              className={styles.choice}
              aria-pressed={place >= 0}
              onClick={() => toggle(item.id)}
            >
              <span className={styles.square}>
                <img src={thumbnailOf(item.id)} alt={item.alt ?? ''} loading="lazy" />
                {place >= 0 && (
                  <span className={styles.mark} aria-hidden="true">
                    {chosen.length > 1 ? place + 1 : <Check size={14} />}
                  </span>
                )}
              </span>
              <span className={`caption one-line ${styles.name}`} dir="auto">
                {fileName(item)}
              </span>
            </button>
          );
        })}
      </div>
      {library.hasNextPage && (
        <Button
          variant="quiet"
          fullWidth
          mt={12}
          loading={library.isFetchingNextPage}
          onClick={() => void library.fetchNextPage()}
        >
          Show more
        </Button>
      )}
      <div className={styles.buttons}>
        <Button variant="quiet" onClick={onClose}>
          Cancel
        </Button>
        <MainButton reason={chosen.length === 0 ? 'Choose a file first.' : undefined} reasonHidden onClick={add}>
          {chosen.length === 0 ? 'Add' : `Add ${count(chosen.length, 'file')}`}
        </MainButton>
      </div>
    </Modal>
  );
}

const typingMs = 250;

/** Lets the server filter when only one kind is accepted. */
const kindOf = (types: readonly string[] | undefined): MediaItem['kind'] | undefined => {
  if (types?.every((type) => type.startsWith('image/'))) return 'Image';
  return types?.every((type) => type.startsWith('video/')) ? 'Video' : undefined;
};
