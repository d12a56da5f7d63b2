import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query';
import type { SearchMediaInput } from '#generated/app-client';
import { app } from '#web/base/api.ts';
import { usePageSearch } from '#web/parts/use-page-search.ts';

export const filters = [
  { value: 'all', label: 'All', input: {} },
  { value: 'images', label: 'Images', input: { kind: 'Image' } },
  { value: 'videos', label: 'Videos', input: { kind: 'Video' } },
  { value: 'documents', label: 'PDFs', input: { kind: 'Document' } },
  { value: 'no-alt', label: 'No alt text', input: { alt: 'Missing' } },
] as const satisfies readonly { value: string; label: string; input: SearchMediaInput }[];

/** The library with the filters of the address. */
export const useLibrary = () => {
  const [search, setSearch] = usePageSearch<'show' | 'q'>();
  const filter = filters.find(({ value }) => value === search.show) ?? filters[0];
  const query = search.q ?? '';
  const library = useInfiniteQuery({
    queryKey: ['media', 'library', filter.value, query],
    queryFn: ({ signal, pageParam }) =>
      app.searchMedia({ ...filter.input, query, ...(pageParam && { cursor: pageParam }) }, { signal }),
    initialPageParam: '',
    getNextPageParam: ({ nextCursor }) => nextCursor,
    placeholderData: keepPreviousData,
  });
  return {
    ...library,
    media: library.data?.pages.flatMap(({ media }) => media),
    filter: filter.value,
    query,
    isFiltered: filter.value !== 'all' || query !== '',
    setFilter: (value: string) => setSearch({ show: value === 'all' ? undefined : value }),
    clear: () => setSearch({ show: undefined, q: undefined }),
    setQuery: (q: string) => setSearch({ q: q || undefined }, { replace: true }),
  };
};
