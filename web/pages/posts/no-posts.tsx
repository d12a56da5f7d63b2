import { Button } from '@mantine/core';
import { FileText, SearchX } from 'lucide-react';
import { usePermissions } from '#web/base/session.ts';
import { EmptyState } from '#web/parts/empty-state.tsx';
import { Kbd } from '#web/parts/kbd.tsx';
import { useNewPost } from '#web/shell/shell.tsx';
import type { Filter, Status } from './use-groups.ts';

export const NoPosts = ({
  status,
  filter,
  onClear,
}: {
  status: Status | undefined;
  filter: Filter;
  onClear: () => void;
}) => {
  const newPost = useNewPost();
  const { canWrite } = usePermissions();
  if (filter.query !== '' || filter.accountIds !== '' || filter.labelIds !== '') {
    return (
      <EmptyState icon={SearchX} title="Nothing found" action={<Button onClick={onClear}>Clear the search</Button>}>
        No post has these words, accounts and labels.
      </EmptyState>
    );
  }
  const action = canWrite && (
    <Button variant="ink" rightSection={<Kbd keys="C" inverse />} onClick={() => void newPost()}>
      Write a post
    </Button>
  );
  const [title, text] =
    status === undefined ? ['No posts yet', emptyText.Draft] : [emptyTitle[status], emptyText[status]];
  return (
    <EmptyState icon={FileText} title={title} action={action}>
      {text}
    </EmptyState>
  );
};

const emptyTitle: Record<Status, string> = {
  Draft: 'No drafts',
  Scheduled: 'Nothing is scheduled',
  Publishing: 'Nothing is on its way',
  Published: 'Nothing is published yet',
  Failed: 'Nothing failed',
};
const emptyText: Record<Status, string> = {
  Draft: 'What you write is saved as a draft. Nothing goes out before you say so.',
  Scheduled: 'Give a draft a time, and it goes out by itself.',
  Publishing: 'Posts appear here while they are being sent.',
  Published: 'Published posts appear here with their numbers.',
  Failed: 'A post that does not reach one of its accounts appears here, with what to do next.',
};
