import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { lazy, Suspense, useState } from 'react';
import type { Post } from '#generated/app-client';
import { faultOf } from '#web/faults.ts';
import NotFound from '#web/pages/not-found/index.tsx';
import { EditorSkeleton } from '#web/pages/post/editor/editor-skeleton.tsx';
import { FaultBanner } from '#web/parts/fault-banner.tsx';
import { PageHeader } from '#web/parts/page-header.tsx';
import { Column } from '#web/parts/section.tsx';
import { usePageSearch } from '#web/parts/use-page-search.ts';
import { queries } from '#web/queries.ts';

const Editor = lazy(() => import('#web/pages/post/editor/index.tsx'));
const Results = lazy(() => import('#web/pages/post/results/index.tsx'));

/** The editor, or the results once the post is sent. */
export default function PostPage() {
  const { id } = useParams({ from: '/shell/posts/$id' });
  const [search] = usePageSearch<'edit'>();
  const [created, setCreated] = useState<string>();
  const [opened, setOpened] = useState({ id, number: 0 });
  const [hasUnsaved, setHasUnsaved] = useState(false);
  // An editor that just created its post stays mounted; any other id gets a new one.
  if (opened.id !== id) {
    const isSameEditor = opened.id === 'new' && created === id;
    setOpened({ id, number: isSameEditor ? opened.number : opened.number + 1 });
    if (!isSameEditor) setHasUnsaved(false);
  }
  const { data: post, error, refetch } = useQuery({ ...queries.post(id), enabled: id !== 'new' });

  if (error && faultOf(error).code === 'NotFound') return <NotFound />;
  if (error && !post) {
    return (
      <Frame>
        <FaultBanner title="The post could not be loaded" fault={error} onRetry={() => void refetch()} />
      </Frame>
    );
  }
  const isNew = id === 'new' || created === id;
  if (!post && !isNew) return <Loading />;
  if (post && isOut(post) && !(post.status === 'Failed' && search.edit) && !hasUnsaved) {
    return (
      <Suspense fallback={<Loading />}>
        <Results post={post} />
      </Suspense>
    );
  }
  return (
    <Suspense fallback={<Loading />}>
      <Editor key={opened.number} post={post} onCreated={setCreated} onHold={setHasUnsaved} />
    </Suspense>
  );
}

const isOut = ({ status }: Post) => status === 'Publishing' || status === 'Published' || status === 'Failed';

const Loading = () => <EditorSkeleton title="Post" />;

const Frame = ({ children }: { children: React.ReactNode }) => (
  <>
    <PageHeader title="Post" crumb={{ label: 'Posts', link: { to: '/posts' } }} />
    <Column width="narrow">{children}</Column>
  </>
);
