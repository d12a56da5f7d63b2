import { Link } from '@tanstack/react-router';
import type { PostSummary } from '#generated/app-client';
import { useNetworks } from '#web/base/networks.ts';
import { joinWithAnd } from '#web/parts/join-names.ts';
import { count } from '#web/parts/number.ts';
import { useAccounts } from '#web/parts/use-accounts.ts';

export const SentPost = ({ post }: { post: PostSummary }) => {
  const { networksOf } = useAccounts();
  const networks = useNetworks();
  const results = (
    <Link to="/posts/$id" params={{ id: post.id }}>
      Open the results
    </Link>
  );
  if (post.status === 'Publishing') {
    return <p role="status">On its way to {count(post.accountIds.length, 'account')}.</p>;
  }
  const reached = post.results.filter(({ ok }) => ok).map(({ accountId }) => accountId);
  const names = [...new Set(networksOf(reached).map((network) => networks.of(network).name))];
  if (post.status === 'Failed') {
    return (
      <p role="status">
        It did not reach {count(post.accountIds.length - reached.length, 'account')}. {results}
      </p>
    );
  }
  const isSandbox = networks.list.some(({ sandbox }) => sandbox);
  return (
    <p role="status">
      Published to {joinWithAnd(names)}. {isSandbox ? <Link to="/sandbox">See it in the sandbox</Link> : results}
    </p>
  );
};
