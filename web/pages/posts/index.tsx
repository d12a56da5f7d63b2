import { ActionIcon, TextInput } from '@mantine/core';
import { useDebouncedCallback } from '@mantine/hooks';
import { Search, X } from 'lucide-react';
import { useState } from 'react';
import { AccountFilter } from '#web/parts/account-filter.tsx';
import { Kbd } from '#web/parts/kbd.tsx';
import { LabelFilter } from '#web/parts/label-filter.tsx';
import { PageHeader } from '#web/parts/page-header.tsx';
import { useIsPhone } from '#web/parts/use-is-phone.ts';
import { usePageSearch } from '#web/parts/use-page-search.ts';
import { Bin } from './bin.tsx';
import { PostList } from './post-list.tsx';
import styles from './posts.module.css';
import { StatusTabs } from './status-tabs.tsx';
import { type Status, statuses } from './use-groups.ts';

const typingMs = 200;
const isStatus = (text: string | undefined): text is Status => statuses.some((status) => status === text);

const Posts = () => {
  const [search, setSearch] = usePageSearch<'status' | 'q' | 'accounts' | 'labels'>();
  const isPhone = useIsPhone();
  const [searching, setSearching] = useState(search.q !== undefined);
  const status = isStatus(search.status) ? search.status : undefined;
  const isBin = search.status === 'Bin';
  const accounts = search.accounts?.split(',') ?? [];
  const labels = search.labels?.split(',') ?? [];
  const filter = { query: search.q ?? '', accountIds: accounts.join(','), labelIds: labels.join(',') };
  const setQuery = (q: string) => void setSearch({ q }, { replace: true });
  const field = <SearchField query={filter.query} onChange={setQuery} isPhone={isPhone} />;
  const closeSearch = () => {
    setSearching(false);
    setQuery('');
  };
  return (
    <>
      <PageHeader
        title="Posts"
        actions={
          // The bin has neither search nor filters.
          !isBin && (
            <>
              {isPhone ? (
                <ActionIcon
                  size={40}
                  aria-label="Search posts"
                  aria-expanded={searching}
                  onClick={() => setSearching(true)}
                >
                  <Search size={20} strokeWidth={1.75} aria-hidden="true" />
                </ActionIcon>
              ) : (
                <div className={styles.search}>{field}</div>
              )}
              <LabelFilter chosen={labels} onChange={(ids) => void setSearch({ labels: ids.join(',') })} />
              <AccountFilter chosen={accounts} onChange={(ids) => void setSearch({ accounts: ids.join(',') })} />
            </>
          )
        }
      />
      {isPhone && searching && !isBin && (
        <div className={styles.searchRow}>
          {field}
          <ActionIcon size={40} aria-label="Close the search" onClick={closeSearch}>
            <X size={20} aria-hidden="true" />
          </ActionIcon>
        </div>
      )}
      <StatusTabs chosen={search.status} filter={filter} />
      {isBin ? (
        <Bin />
      ) : (
        <PostList
          key={`${status} ${filter.query} ${filter.accountIds} ${filter.labelIds}`}
          status={status}
          filter={filter}
          onClear={() => void setSearch({ q: '', accounts: '', labels: '' })}
        />
      )}
    </>
  );
};

const SearchField = ({
  query,
  onChange,
  isPhone,
}: {
  query: string;
  onChange: (query: string) => void;
  isPhone: boolean;
}) => {
  const [text, setText] = useState(query);
  const [appliedQuery, setAppliedQuery] = useState(query);
  // The address changed through Back or Clear, not through typing.
  if (query !== appliedQuery) {
    setAppliedQuery(query);
    setText(query);
  }
  const later = useDebouncedCallback((value: string) => {
    setAppliedQuery(value);
    onChange(value);
  }, typingMs);
  return (
    <TextInput
      data-search=""
      type="search"
      aria-label="Search posts"
      placeholder="Search posts"
      maxLength={200}
      autoFocus={isPhone && query === ''}
      value={text}
      leftSection={<Search size={16} aria-hidden="true" />}
      rightSection={!isPhone && text === '' && <Kbd keys="/" />}
      onChange={({ currentTarget }) => {
        setText(currentTarget.value);
        later(currentTarget.value.trim());
      }}
      onKeyDown={({ key, currentTarget }) => {
        if (key === 'Escape') currentTarget.blur();
      }}
    />
  );
};

export default Posts;
