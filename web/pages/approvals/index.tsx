import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import { Stamp } from 'lucide-react';
import { type ApprovalCard, isPosthornError } from '#generated/app-client';
import { app } from '#web/base/api.ts';
import { keys } from '#web/base/queries.ts';
import { usePermissions, useSession } from '#web/base/session.ts';
import { EmptyState } from '#web/parts/empty-state.tsx';
import { FaultBanner } from '#web/parts/fault-banner.tsx';
import { Kbd } from '#web/parts/kbd.tsx';
import NotFound from '#web/parts/not-found.tsx';
import { PageHeader } from '#web/parts/page-header.tsx';
import { Column } from '#web/parts/section.tsx';
import { SkeletonRows } from '#web/parts/skeleton-rows.tsx';
import { useIsPhone } from '#web/parts/use-is-phone.ts';
import { usePageSearch } from '#web/parts/use-page-search.ts';
import styles from './approvals.module.css';
import { ConversationList } from './conversation-list.tsx';
import { ConversationView } from './conversation-view.tsx';
import { passesOf } from './passes.ts';
import { type Conversation, conversationsOf, useApprovals } from './use-approvals.ts';

const Approvals = () => {
  const { id } = useParams({ strict: false }) as { id?: string };
  const [search] = usePageSearch<'conversation' | 'show'>();
  const show = search.show === 'decided' ? 'decided' : undefined;
  const isPhone = useIsPhone();
  const list = useApprovals();
  const focused = useFocused(id, list.cards);
  const cards = focused.card && !list.cards.some((one) => one.id === id) ? [...list.cards, focused.card] : list.cards;
  const conversations = conversationsOf(cards);
  const openId = focused.card?.conversation.id ?? search.conversation;
  const open = conversations.find((one) => one.id === openId) ?? (isPhone ? undefined : conversations[0]);

  if (isPosthornError(focused.error, 'NotFound')) return <NotFound />;
  const error = focused.error ?? list.error;
  const fault = error && (
    <Column width="narrow">
      <FaultBanner
        fault={error}
        title={focused.error ? 'This request could not be shown' : 'The requests could not be loaded'}
        onRetry={() => void (focused.error ? focused.refetch() : list.refetch())}
      />
    </Column>
  );
  // After a failed refetch the cards stay: somebody may be writing in one.
  if (fault && (list.data === undefined || (id !== undefined && focused.card === undefined))) {
    return <Page>{fault}</Page>;
  }
  if (list.isPending || focused.isPending) {
    return (
      <Page>
        <SkeletonRows rows={4} height={66} />
      </Page>
    );
  }
  if (conversations.length === 0) {
    return (
      <Page>
        <EmptyState
          icon={Stamp}
          title="Nothing asked yet"
          action={
            <Button variant="ink" component={Link} to="/settings/api">
              Connect a client
            </Button>
          }
        >
          An agent drafts on its own. Before anything becomes public it asks here, and you decide.
        </EmptyState>
      </Page>
    );
  }
  // A pass uses the full width, unless requests are waiting in another conversation.
  const waitingElsewhere = conversations.some(({ id, waiting }) => waiting.length > 0 && id !== open?.id);
  const hasPass = show === undefined && passesOf(open?.waiting ?? []).some((pass) => pass.length > 1);
  const hasList = !hasPass || waitingElsewhere;
  const side = <ConversationList conversations={conversations} open={open?.id} show={show} />;
  const more = list.hasNextPage && (
    <Button variant="quiet" loading={list.isFetchingNextPage} onClick={() => list.fetchNextPage()}>
      Show older requests
    </Button>
  );
  if (isPhone && open === undefined) {
    return (
      <Page>
        {fault}
        {side}
        <div className={styles.more}>{more}</div>
      </Page>
    );
  }
  return (
    <Page conversation={open} hasPass={hasPass}>
      {fault}
      <div className={styles.both} data-pass={hasPass || undefined}>
        {!isPhone && hasList && <div className={styles.side}>{side}</div>}
        <div className={styles.cards}>
          {open && (
            <ConversationView
              key={`${open.id} ${show}`}
              conversation={open}
              focused={focused.card}
              show={show}
              more={<div className={styles.more}>{more}</div>}
            />
          )}
        </div>
      </div>
    </Page>
  );
};

const Page = ({
  conversation,
  hasPass = false,
  children,
}: {
  conversation?: Conversation | undefined;
  hasPass?: boolean;
  children: React.ReactNode;
}) => {
  const { user } = useSession();
  const { canPublish } = usePermissions();
  const last = conversation?.waiting[0] ?? conversation?.decided[0];
  const asks = last && (last.requestedBy === user.id ? 'asks as you' : `asks for ${last.requestedByName}`);
  return conversation ? (
    <>
      <PageHeader
        crumb={{ label: 'Approvals', link: { to: '/approvals' } }}
        title={conversation.title}
        meta={asks}
        actions={canPublish && <Keys hasPass={hasPass} />}
      />
      {children}
    </>
  ) : (
    <>
      <PageHeader title="Approvals" />
      {children}
    </>
  );
};

const Keys = ({ hasPass }: { hasPass: boolean }) => (
  <p className={`kbd-hint desk-only ${styles.keys}`} aria-hidden="true">
    <Kbd keys="J K" /> move <Kbd keys="A" /> approve <Kbd keys="R" /> reject <Kbd keys="E" /> edit
    {hasPass && (
      <>
        {' '}
        <Kbd keys="Space" /> leave open
      </>
    )}
  </p>
);

/** The card that the address names, even if it is older than the loaded pages. */
const useFocused = (id: string | undefined, cards: readonly ApprovalCard[]) => {
  const listedCard = cards.find((one) => one.id === id);
  const query = useQuery({
    queryKey: keys.approval(id ?? ''),
    queryFn: ({ signal }) => app.getApproval({ id: id ?? '' }, { signal }),
    enabled: id !== undefined,
  });
  return {
    card: id === undefined ? undefined : (listedCard ?? query.data),
    error: id !== undefined && !listedCard ? query.error : null,
    isPending: id !== undefined && !listedCard && query.isPending,
    refetch: query.refetch,
  };
};

export default Approvals;
