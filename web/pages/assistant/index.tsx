import { ActionIcon, Button, Tooltip } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { History as HistoryIcon, SquarePen } from 'lucide-react';
import { lazy, Suspense, useState } from 'react';
import { app } from '#web/base/api.ts';
import { keys } from '#web/base/queries.ts';
import { useZone } from '#web/base/session.ts';
import { FaultBanner } from '#web/parts/fault-banner.tsx';
import { PageHeader } from '#web/parts/page-header.tsx';
import { Column } from '#web/parts/section.tsx';
import { SkeletonRows } from '#web/parts/skeleton-rows.tsx';
import { useIsPhone } from '#web/parts/use-is-phone.ts';
import { useOwnBottomBar } from '#web/parts/use-own-bottom-bar.ts';
import { usePageSearch } from '#web/parts/use-page-search.ts';
import { Chat } from './chat.tsx';
import type { Message } from './chat-messages.ts';

const History = lazy(() => import('./history.tsx'));

const Assistant = () => {
  useOwnBottomBar();
  const zone = useZone();
  const isPhone = useIsPhone();
  const [isHistoryOpen, setIsHistoryOpen] = useState(false);
  const { visit, begin, open } = useVisit();
  const list = useQuery({ queryKey: keys.chats, queryFn: ({ signal }) => app.listChats({ signal }) });
  const stored = useQuery({
    queryKey: keys.chat(visit.kept ?? ''),
    queryFn: ({ signal }) => app.getChat({ id: visit.kept ?? '' }, { signal }),
    enabled: visit.kept !== undefined,
    // Messages sent from here are appended locally, so a refetch would duplicate them.
    staleTime: 0,
    gcTime: 0,
    refetchOnWindowFocus: false,
    refetchOnReconnect: false,
  });
  return (
    <>
      <PageHeader
        title="Assistant"
        meta={`answers in ${zone}`}
        actions={
          <>
            <Tooltip label="Your chats">
              <ActionIcon size={isPhone ? 40 : 34} aria-label="Your chats" onClick={() => setIsHistoryOpen(true)}>
                <HistoryIcon size={17} strokeWidth={1.75} aria-hidden="true" />
              </ActionIcon>
            </Tooltip>
            {isPhone ? (
              <ActionIcon size={40} aria-label="New chat" onClick={() => open(undefined)}>
                <SquarePen size={18} strokeWidth={1.75} aria-hidden="true" />
              </ActionIcon>
            ) : (
              <Button leftSection={<SquarePen size={15} aria-hidden="true" />} onClick={() => open(undefined)}>
                New chat
              </Button>
            )}
          </>
        }
      />
      {stored.error && !stored.data ? (
        <Column width="narrow">
          <FaultBanner
            fault={stored.error}
            title="This chat could not be shown"
            onRetry={() => void stored.refetch()}
          />
        </Column>
      ) : visit.kept !== undefined && !stored.data ? (
        <SkeletonRows rows={4} height={66} label="Loading the chat" />
      ) : (
        <Chat
          key={visit.key}
          chatId={visit.kept}
          before={(stored.data?.messages ?? []) as unknown as Message[]}
          model={list.data?.model}
          onBegun={begin}
        />
      )}
      <Suspense>
        {isHistoryOpen && <History list={list} open={visit.id} onOpen={open} onClose={() => setIsHistoryOpen(false)} />}
      </Suspense>
    </>
  );
};

interface Visit {
  key: number;
  id: string | undefined;
  /** The stored chat to load; undefined for a chat that starts here. */
  kept: string | undefined;
}

/** The open chat, from the address. A new chat gets its address while its first answer streams. */
const useVisit = () => {
  const [search, setSearch] = usePageSearch<'chat'>();
  const { chat } = search;
  const [visit, setVisit] = useState<Visit>({ key: 0, id: chat, kept: chat });
  const [address, setAddress] = useState(chat);
  if (address !== chat) {
    setAddress(chat);
    if (visit.id !== chat) setVisit({ key: visit.key + 1, id: chat, kept: chat });
  }
  const begin = (id: string) => {
    setVisit((now) => ({ ...now, id }));
    void setSearch({ chat: id }, { replace: true });
  };
  const open = (id: string | undefined) => {
    setVisit((now) => ({ key: now.key + 1, id, kept: id }));
    void setSearch({ chat: id });
  };
  return { visit, begin, open };
};

export default Assistant;
