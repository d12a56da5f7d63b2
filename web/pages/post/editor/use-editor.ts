import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate, useRouter } from '@tanstack/react-router';
import {
  createContext,
  useContext,
  useDeferredValue,
  useEffect,
  useMemo,
  useRef,
  useState,
  useSyncExternalStore,
} from 'react';
import type { Account, EditorView, GetLastAccountsOutput, MediaItem, Post } from '#generated/app-client';
import { app } from '#web/base/api.ts';
import { keepPost, keys, queries } from '#web/base/queries.ts';
import { usePermissions } from '#web/base/session.ts';
import { now } from '#web/base/time.ts';
import { usePageSearch } from '#web/parts/use-page-search.ts';
import { createAutosave, type SaveState } from './autosave.ts';
import { type Check, checksOf } from './checks.ts';
import { type Change, changeSide, type Draft, emptyDraft, isOwn, type Side, sideOf } from './draft.ts';
import type { Choice, Constraints, Option } from './limits.ts';
import { type Place, useReveal } from './use-reveal.ts';

export interface Editor {
  readonly save: SaveState;
  readonly saver: ReturnType<typeof createAutosave>;
  readonly readOnly: boolean;
  /** All accounts of the workspace. */
  readonly accounts: readonly Account[];
  /** Accounts of the last post; undefined when this is no new post. */
  readonly lastAccounts: GetLastAccountsOutput | undefined;
  /** Accounts of the post. */
  readonly chosen: readonly Account[];
  /** Account whose version is open; undefined for the original. */
  readonly version: string | undefined;
  readonly openVersion: (accountId: string | undefined) => void;
  /** True once an account overrides something or its version was opened. */
  readonly hasTabs: boolean;
  readonly side: Side;
  /** Deferred draft, for rendering that is slower than typing. */
  readonly deferredDraft: Draft;
  readonly edit: (change: Change) => void;
  /** Edits the open version. */
  readonly editSide: (change: (side: Side) => Side) => void;
  readonly limitsOf: (account: Account) => Constraints | undefined;
  readonly optionsOf: (network: string) => readonly Option[];
  readonly choicesOf: (account: Account, key: string) => Option['choices'];
  /** The account's choices have yet to arrive. */
  readonly areChoicesLoading: boolean;
  /** Keeps the name of a value that was searched for: the server names it only once the post is saved. */
  readonly rememberChoice: (key: string, choice: Choice) => void;
  /** Why this account cannot switch the option on. */
  readonly whyDisabled: (account: Account, key: string) => string | undefined;
  /** The option with the limits of this account. */
  readonly withLimitsOf: (account: Account, option: Option) => Option;
  readonly mediaOf: (id: string) => MediaItem | undefined;
  /** Cards that are fixed because approval was requested or given. */
  readonly linkCards: EditorView['linkCards'];
  /** The fitted file that the account gets instead. */
  readonly fittedOf: (account: Account, mediaId: string) => MediaItem | undefined;
  readonly rememberMedia: (...items: MediaItem[]) => void;
  /** A file is being uploaded, or waits for its turn. */
  readonly isUploading: boolean;
  /** `upload` resolves when the file is part of the draft, or was refused. */
  readonly trackUpload: (upload: Promise<void>) => void;
  readonly checks: readonly Check[];
  /** False until the server has validated an opened post. */
  readonly isChecked: boolean;
  /** The server's checks could not be loaded. */
  readonly isUncheckable: boolean;
  readonly reveal: (place: Place) => void;
}

const EditorContext = createContext<Editor | undefined>(undefined);
export const EditorProvider = EditorContext.Provider;

export const useEditor = (): Editor => {
  const editor = useContext(EditorContext);
  if (editor === undefined) throw new Error('useEditor needs an EditorProvider');
  return editor;
};

export const useEditorState = ({
  post,
  accounts,
  lastAccounts,
  onCreated,
}: {
  post: Post | undefined;
  accounts: readonly Account[];
  lastAccounts: GetLastAccountsOutput | undefined;
  onCreated: (id: string) => void;
}): Editor => {
  const client = useQueryClient();
  const navigate = useNavigate();
  const router = useRouter();
  const { canWrite, canOnlyAsk } = usePermissions();
  const mayOnlyAsk = useRef(canOnlyAsk);
  mayOnlyAsk.current = canOnlyAsk;
  const [search, setSearch] = usePageSearch<'version' | 'at'>();
  const [saver] = useState(() =>
    createAutosave({
      post,
      canOnlyAsk: () => mayOnlyAsk.current,
      initial: emptyDraft(defaultAccounts(accounts, lastAccounts), futureOrNone(search.at)),
      onCreated: (id) => {
        // The person is leaving, and the next page is still loading.
        if (router.latestLocation.pathname !== '/posts/new') return;
        onCreated(id);
        void navigate({ to: '/posts/$id', params: { id }, search: {}, replace: true });
      },
      onSaved: (saved) => keepPost(client, saved),
    }),
  );
  useEffect(() => {
    saver.start();
    return saver.stop;
  }, [saver]);
  useEffect(() => {
    if (post) saver.receive(post);
  }, [post, saver]);
  const save = useSyncExternalStore(saver.subscribe, saver.read);
  const { draft, base } = save;
  const { accountIds } = draft;

  const chosen = useMemo(
    () => accountIds.map((id) => accounts.find((account) => account.id === id) ?? disconnectedAccount(id)),
    [accountIds, accounts],
  );
  const version = accountIds.find((id) => id === search.version);
  const providers = useQuery(queries.providers).data?.providers;
  const limits = useQuery(queries.limits).data?.providers;
  const { data: view, isError: isUncheckable, isLoading: areChoicesLoading } = useView(base);
  const [searchedChoices, setSearchedChoices] = useState<ReadonlyMap<string, readonly Choice[]>>(new Map());
  const [uploadCount, setUploadCount] = useState(0);
  const [uploaded, setUploaded] = useState<ReadonlyMap<string, MediaItem>>(new Map());

  const lookups = useMemo(() => {
    const of = (network: string) => limits?.find((one) => one.network === network);
    const viewOf = (id: string) => view?.accounts.find(({ accountId }) => accountId === id);
    return {
      limitsOf: (account: Account) => viewOf(account.id)?.constraints ?? of(account.network)?.constraints,
      optionsOf: (network: string) => of(network)?.options ?? [],
      choicesOf: (account: Account, key: string) => {
        const choices = viewOf(account.id)?.choices[key];
        const searched = searchedChoices.get(key);
        return searched ? [...(choices ?? []), ...searched.filter(isNotIn(choices ?? []))] : choices;
      },
      whyDisabled: (account: Account, key: string) => viewOf(account.id)?.disabledOptions[key],
      withLimitsOf: (account: Account, option: Option) => {
        const poll = option.poll && viewOf(account.id)?.pollLimits;
        return poll ? { ...option, poll } : option;
      },
      fittedOf: (account: Account, mediaId: string) => viewOf(account.id)?.fitted[mediaId],
      mediaOf: (id: string) => uploaded.get(id) ?? view?.media.find((item) => item.id === id),
    };
  }, [limits, view, uploaded, searchedChoices]);

  // Counting a long text for many networks must not block typing.
  const deferredDraft = useDeferredValue(draft);
  const checks = useMemo(
    () =>
      checksOf({
        draft: deferredDraft,
        chosen,
        base,
        issues: view?.issues ?? [],
        warnings: view?.warnings ?? [],
        ...lookups,
        isSandbox: (network) => providers?.find((one) => one.network === network)?.sandbox ?? false,
      }),
    [deferredDraft, chosen, base, view, lookups, providers],
  );
  const [wasVersionOpened, setWasVersionOpened] = useState(version !== undefined);
  const openVersion = (accountId: string | undefined) => {
    if (accountId !== undefined) setWasVersionOpened(true);
    void setSearch({ version: accountId }, { replace: true });
  };
  const edit = (change: Change) => {
    if (canWrite) saver.edit(change);
  };
  return {
    save,
    saver,
    readOnly: !canWrite,
    accounts,
    lastAccounts,
    chosen,
    version,
    openVersion,
    hasTabs: wasVersionOpened || version !== undefined || accountIds.some((id) => isOwn(draft, id)),
    side: sideOf(draft, version),
    deferredDraft,
    edit,
    editSide: (change) => edit(changeSide(version, change)),
    ...lookups,
    areChoicesLoading,
    linkCards: view?.linkCards ?? [],
    rememberChoice: (key, choice) =>
      setSearchedChoices((map) => new Map(map).set(key, [choice, ...(map.get(key) ?? []).filter(isNotIn([choice]))])),
    rememberMedia: (...items) =>
      setUploaded((map) => new Map([...map, ...items.map((item) => [item.id, item] as const)])),
    isUploading: uploadCount > 0,
    trackUpload: (upload) => {
      setUploadCount((count) => count + 1);
      void upload.finally(() => setUploadCount((count) => count - 1));
    },
    checks,
    isChecked: base === undefined || view !== undefined,
    isUncheckable,
    reveal: useReveal(version, openVersion),
  };
};

/** The server's view of the last saved version; the previous one until it has loaded. */
const useView = (base: Post | undefined) =>
  useQuery<EditorView>({
    queryKey: [...keys.editor(base?.id ?? ''), base?.updatedAt],
    queryFn: ({ signal }) => app.viewForEditor({ id: base?.id ?? '' }, { signal }),
    enabled: base !== undefined,
    placeholderData: (before) => before,
    meta: { part: 'checks' },
    // No event reports the progress of a video, so poll.
    refetchInterval: ({ state }) => (state.data?.issues.some(isPreparing) ? pollMs : false),
  });

const isNotIn =
  (choices: readonly Choice[]) =>
  ({ value }: Choice) =>
    !choices.some((choice) => choice.value === value);

const pollMs = 2_000;

/** A file that is still being prepared for a network. */
const isPreparing = ({ code }: EditorView['issues'][number]) => code === 'MediaFitting';

const futureOrNone = (at = '') => (Date.parse(at) > now().getTime() ? at : undefined);

const disconnectedAccount = (id: string): Account => ({
  id,
  provider: 'Disconnected',
  // No network has this key.
  network: '' as Account['network'],
  name: 'Disconnected account',
  handle: '',
  status: 'NeedsReconnect',
  statistics: 'None',
  connectedAt: '',
});

/** Accounts of the last post, or the only account. */
const defaultAccounts = (accounts: readonly Account[], last: GetLastAccountsOutput | undefined): readonly string[] => {
  const [only, ...others] = accounts;
  if (last && last.accountIds.length > 0) return last.accountIds;
  return only && others.length === 0 ? [only.id] : [];
};
