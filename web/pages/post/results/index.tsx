import type { Post } from '#generated/app-client';
import { PageHeader } from '#web/parts/page-header.tsx';
import { Column } from '#web/parts/section.tsx';
import { PostStateChip } from '#web/parts/state-chip.tsx';

export default function Results({ post }: { post: Post }) {
  return (
    <>
      <PageHeader
        title="Post"
        crumb={{ label: 'Posts', link: { to: '/posts' } }}
        chip={<PostStateChip post={post} />}
      />
      <Column width="narrow">This post is out, or on its way.</Column>
    </>
  );
}
