import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { actions } from '#web/base/api.ts';
import { keys, queries } from '#web/base/queries.ts';
import { titleOf } from '#web/parts/post-title.tsx';
import { useNavItems } from '#web/shell/use-nav-items.ts';

const mostLetters = 40;

/** The previous page, which is shared with the assistant. If hidden, it stays hidden until another page is opened. */
export const useSees = () => {
  const [hidden, setHidden] = useState<string>();
  const { pages, workspace } = useNavItems();
  const context = useQuery({
    queryKey: keys.seen,
    queryFn: ({ signal }) => actions.ui.getContext({}, { signal }),
    staleTime: 0,
  }).data;
  const postId = context?.postId ?? '';
  const post = useQuery({ ...queries.post(postId), enabled: postId !== '', retry: false }).data;
  const place = [...pages, ...workspace].find(({ to }) => to === context?.page)?.label;
  const title = post && (titleOf(post.versions[0]?.content[0]?.body ?? '') || 'an empty draft');
  const label = postId === '' ? place : title;
  const isHidden = hidden !== undefined && hidden === (postId || context?.page);
  return {
    label: isHidden || label === undefined ? undefined : shorten(label),
    /** Whether the page may be shared: true unless the person hid it, even if it has no label. */
    may: !isHidden,
    hide: () => setHidden(postId || context?.page),
  };
};

const shorten = (text: string) => {
  const letters = [...text];
  return letters.length > mostLetters ? `${letters.slice(0, mostLetters).join('').trimEnd()}…` : text;
};
