import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { Eye } from 'lucide-react';
import { lazy, Suspense, useDeferredValue, useState } from 'react';
import type { Post } from '#generated/app-client';
import { faultOf } from '#web/base/faults.ts';
import { queries } from '#web/base/queries.ts';
import { usePermissions } from '#web/base/session.ts';
import { EditorSkeleton } from '#web/pages/post/editor/editor-skeleton.tsx';
import { EmptyState } from '#web/parts/empty-state.tsx';
import { FaultBanner } from '#web/parts/fault-banner.tsx';
import NotFound from '#web/parts/not-found.tsx';
import { PageHeader } from '#web/parts/page-header.tsx';
import { Column } from '#web/parts/section.tsx';
import { usePageSearch } from '#web/parts/use-page-search.ts';
import { WhoMay } from '#web/parts/who-may.tsx';

const Editor = lazy(() => import('#web/pages/post/editor/index.tsx'));
const Results = lazy(() => import('#web/pages/post/results/index.tsx'));
const SendOff = lazy(() => import('#web/send-off/send-off.tsx'));

/** The editor, the send-off while the post goes out, and the results after it. */
export default function PostPage() {
  const { id } = useParams({ from: '/shell/posts/$id' });
  const [search] = usePageSearch<'edit' | 'side'>();
  const { canWrite } = usePermissions();
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
  const sendOff = useSendOffView(post);
  const earlier = useDeferredValue(post);

  // If the post was deleted while someone was writing, keep the editor: unsaved text can still become another post.
  if (error && faultOf(error).code === 'NotFound' && !hasUnsaved) return <NotFound />;
  if (error && !post) {
    return (
      <Frame>
        <FaultBanner title="The post could not be loaded" fault={error} onRetry={() => void refetch()} />
      </Frame>
    );
  }
  if (id === 'new' && !canWrite) {
    return (
      <Frame title="New post">
        <EmptyState icon={Eye} title="You can read here, not write">
          <WhoMay act="change roles" />
        </EmptyState>
      </Frame>
    );
  }
  const isNew = id === 'new' || created === id;
  if (!post && !isNew) return <Loading />;
  // Keep the editor until the results have loaded: a skeleton in between would remove a comment field in use.
  const isLeavingEditor = post && isOut(post) && earlier?.id === post.id && !isOut(earlier);
  if (post && isOut(post) && !isLeavingEditor && !(post.status === 'Failed' && search.edit) && !hasUnsaved) {
    // If the comments are open, skip the send-off: someone may be typing, and the results show the comments too.
    return (
      <Suspense fallback={<Loading />}>
        {sendOff.isShown && !search.side ? (
          <SendOff key={post.id} post={post} isFresh={sendOff.isFresh} onSeeResults={sendOff.close} />
        ) : (
          <Results key={post.id} post={post} />
        )}
      </Suspense>
    );
  }
  return (
    <Suspense fallback={<Loading />}>
      <Editor
        key={opened.number}
        post={isLeavingEditor ? earlier : post}
        onCreated={setCreated}
        onUnsavedChange={setHasUnsaved}
      />
    </Suspense>
  );
}

/** Shows the send-off from the start of publishing until the person opens the results or leaves the page. */
const useSendOffView = (post: Post | undefined) => {
  const [seen, setSeen] = useState({ id: '', status: '', isShown: false, isFresh: false });
  const { id = '', status = '' } = post ?? {};
  if (post && (seen.id !== id || seen.status !== status)) {
    const isSending = status === 'Publishing';
    const isFresh = isSending && seen.id === id;
    setSeen({
      id,
      status,
      isShown: isSending || (seen.id === id && seen.isShown),
      isFresh: isFresh || (seen.id === id && seen.isFresh),
    });
  }
  return { ...seen, close: () => setSeen((before) => ({ ...before, isShown: false })) };
};

const isOut = ({ status }: Post) => status === 'Publishing' || status === 'Published' || status === 'Failed';

const Loading = () => <EditorSkeleton title="Post" />;

const Frame = ({ title = 'Post', children }: { title?: string; children: React.ReactNode }) => (
  <>
    <PageHeader title={title} crumb={{ label: 'Posts', link: { to: '/posts' } }} />
    <Column width="narrow">{children}</Column>
  </>
);
