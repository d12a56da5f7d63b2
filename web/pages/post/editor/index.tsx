import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Pencil } from 'lucide-react';
import { memo, useCallback, useDeferredValue, useEffect, useState } from 'react';
import type { Account, GetLastAccountsOutput, Post } from '#generated/app-client';
import { queries } from '#web/base/queries.ts';
import { PostLabels } from '#web/pages/post/post-labels.tsx';
import { ReviewPanel } from '#web/pages/post/review/review-panel.tsx';
import { useSide } from '#web/pages/post/review/use-side.ts';
import { FaultBanner } from '#web/parts/fault-banner.tsx';
import { PageHeader } from '#web/parts/page-header.tsx';
import { SideRail, WithRail } from '#web/parts/side-rail.tsx';
import { useIsPhone } from '#web/parts/use-is-phone.ts';
import { useOwnBottomBar } from '#web/parts/use-own-bottom-bar.ts';
import { AccountsRow } from './accounts-row.tsx';
import { readSaveOfLeftPost } from './autosave.ts';
import { CheckList } from './check-list.tsx';
import styles from './editor.module.css';
import { EditorHeader } from './editor-header.tsx';
import { EditorSkeleton } from './editor-skeleton.tsx';
import { Notices } from './notices.tsx';
import { OptionsCard } from './options-card.tsx';
import { PhoneBar } from './phone-bar.tsx';
import { Previews } from './previews.tsx';
import { SkipToText } from './skip-to-text.tsx';
import { TemplatesDialog } from './templates-dialog.tsx';
import { Thread } from './thread.tsx';
import { type Editor, EditorProvider, useEditorState } from './use-editor.ts';
import { usePostActions } from './use-post-actions.ts';
import { usePostCommands } from './use-post-commands.ts';
import { useSending } from './use-sending.ts';
import { useTemplating } from './use-templating.ts';
import { useUploads } from './use-uploads.ts';
import { useVersionKeys } from './version-tabs.tsx';

const panel = { role: 'tabpanel', 'aria-label': 'Text and media' };

interface Props {
  /** Undefined until a new post is saved for the first time. */
  post: Post | undefined;
  onCreated: (id: string) => void;
  /** Whether there is unsaved text; then the page must stay mounted. */
  onUnsavedChange: (hasUnsaved: boolean) => void;
}

export default function EditorPage(props: Props) {
  const query = useQuery(queries.accounts);
  const isNew = props.post === undefined;
  const last = useQuery({ ...queries.lastAccounts, enabled: isNew });
  // A new post does not need the last-used accounts, so an error does not block the editor.
  const isReady = useIsLeftPostSaved(isNew) && (!isNew || last.data !== undefined || last.isError);
  if (query.data && isReady) {
    return <Writing {...props} accounts={query.data.accounts} lastAccounts={isNew ? last.data : undefined} />;
  }
  if (!query.error) return <EditorSkeleton title={isNew ? 'New post' : 'Post'} />;
  return (
    <>
      <PageHeader title="Post" crumb={{ label: 'Posts', link: { to: '/posts' } }} />
      <div className={styles.column}>
        <FaultBanner
          fault={query.error}
          title="The accounts could not be loaded"
          onRetry={() => void query.refetch()}
        />
      </div>
    </>
  );
}

/** A new post waits for it: else it would take over the text of the post that was left a moment ago, and both would save it. */
const useIsLeftPostSaved = (isNew: boolean) => {
  const [save] = useState(() => (isNew ? readSaveOfLeftPost() : undefined));
  const [isSaved, setIsSaved] = useState(save === undefined);
  useEffect(() => void save?.then(() => setIsSaved(true)), [save]);
  return isSaved;
};

interface WritingProps extends Props {
  accounts: readonly Account[];
  lastAccounts: GetLastAccountsOutput | undefined;
}

const Writing = ({ post, accounts, lastAccounts, onCreated, onUnsavedChange }: WritingProps) => {
  useOwnBottomBar();
  const editor = useEditorState({ post, accounts, lastAccounts, onCreated });
  useVersionKeys(editor.chosen, editor.openVersion);
  const actions = usePostActions(editor);
  const sending = useSending(editor, actions);
  const uploads = useUploads(editor);
  const isPhone = useIsPhone();
  const { side, openSide } = useSide();
  const [aside, setAside] = useState<'open' | 'closed' | 'left'>('closed');
  const leaveAside = useCallback(() => setAside('left'), []);
  const deferredEditor = useDeferredValue(editor);
  const [item, setItem] = useState(0);
  const templating = useTemplating(editor, item);
  usePostCommands(editor, sending, templating);
  const hasUnsaved = editor.save.phase !== 'clean';
  useEffect(() => onUnsavedChange(hasUnsaved), [hasUnsaved, onUnsavedChange]);
  return (
    <EditorProvider value={editor}>
      <EditorHeader actions={actions} sending={sending} templating={templating} />
      <WithRail
        rail={
          post && side ? (
            <SideRail label="Comments and history" width={424} opened onClose={() => openSide(undefined)}>
              <ReviewPanel postId={post.id} side={side} onRestore={editor.readOnly ? undefined : actions.restore} />
            </SideRail>
          ) : (
            <SideRail
              label="Checks and preview"
              width={424}
              opened={aside === 'open'}
              onClose={() => setAside('closed')}
              returnsFocus={aside !== 'left'}
              foot={
                !editor.readOnly && (
                  <Button
                    variant="quiet"
                    leftSection={<Pencil size={16} aria-hidden="true" />}
                    onClick={() => setAside('closed')}
                  >
                    Write
                  </Button>
                )
              }
            >
              <ChecksAndPreviews editor={deferredEditor} onLeave={leaveAside} />
            </SideRail>
          )
        }
      >
        <div className={styles.column}>
          <Notices actions={actions} />
          <AccountsRow />
          {editor.readOnly && <PostLabels id={editor.save.base?.id} readOnly />}
          <div id="editor-version" {...(editor.hasTabs && panel)}>
            <Thread uploads={uploads} onFocusItem={setItem} onTemplate={templating.choose} />
            {!isPhone && <OptionsCard />}
          </div>
        </div>
      </WithRail>
      <SkipToText />
      <TemplatesDialog templating={templating} />
      {isPhone && <PhoneBar sending={sending} item={item} onPreview={() => setAside('open')} />}
    </EditorProvider>
  );
};

/** Memoized and given the deferred editor, so that typing updates the text first and these later. */
const ChecksAndPreviews = memo(({ editor, onLeave }: { editor: Editor; onLeave: () => void }) => (
  <EditorProvider value={editor}>
    <CheckList onLeave={onLeave} />
    <Previews />
  </EditorProvider>
));
