import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { actions } from '#web/api.ts';
import { titleOf } from '#web/parts/post-title.tsx';
import { keys, queries } from '#web/queries.ts';
import { usePlaces } from '#web/shell/places.ts';

const mostLetters = 40;

/** The page that was open before this one, as the assistant is told it. It can be hidden, until another one is open. */
export const useSees = () => {
  const [hidden, setHidden] = useState<string>();
  const { pages, workspace } = usePlaces();
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
    label: isHidden || label === undefined ? undefined : shortened(label),
    /** Also what has no name here: it may ask, unless somebody said no. */
    may: !isHidden,
    hide: () => setHidden(postId || context?.page),
  };
};

const shortened = (text: string) => {
  const letters = [...text];
  return letters.length > mostLetters ? `${letters.slice(0, mostLetters).join('').trimEnd()}…` : text;
};
