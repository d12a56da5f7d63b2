import { Button, Modal } from '@mantine/core';
import { Send, TriangleAlert } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import { usePermissions, useZone } from '#web/base/session.ts';
import { formatSaid } from '#web/base/time.ts';
import { showIfAsked, useActLabel, useApproverNames } from '#web/parts/approval-requests.ts';
import { Disclosure } from '#web/parts/disclosure.tsx';
import { FaultBanner } from '#web/parts/fault-banner.tsx';
import { Kbd } from '#web/parts/kbd.tsx';
import { thumbnailOf } from '#web/parts/media-file.ts';
import { NetworkBadge } from '#web/parts/network-badge.tsx';
import { count } from '#web/parts/number.ts';
import { nameOfValue } from '#web/parts/option-value.ts';
import { Thumbnail } from '#web/parts/thumbnail.tsx';
import { resultFor } from './draft.ts';
import { Previews } from './previews.tsx';
import styles from './publish-dialog.module.css';
import { describeContent, groupAccounts, noteOf } from './publish-groups.ts';
import { useEditor } from './use-editor.ts';
import type { PostActions } from './use-post-actions.ts';
import type { Sending } from './use-sending.ts';

const maxWarnings = 3;

/** Shows the post grouped by text. Cancel has the initial focus, since publishing cannot be undone. */
export const PublishDialog = ({ actions, sending }: { actions: PostActions; sending: Sending }) => {
  const { chosen, save } = useEditor();
  const { canOnlyAsk } = usePermissions();
  const label = useActLabel();
  const approvers = useApproverNames();
  const has = (id: string) => save.base?.results.some(({ accountId, ok }) => ok && accountId === id) ?? false;
  const rest = chosen.filter(({ id }) => !has(id));
  const accounts = count(rest.length, 'account');
  const [isRunning, setIsRunning] = useState(false);
  const [fault, setFault] = useState<unknown>();
  const close = () => {
    if (isRunning) return;
    setFault(undefined);
    sending.closePublish();
  };
  const publish = async () => {
    if (isRunning) return;
    setIsRunning(true);
    setFault(undefined);
    try {
      await actions.publish();
      sending.closePublish();
    } catch (error) {
      if (showIfAsked(error)) sending.closePublish();
      else setFault(error);
    } finally {
      setIsRunning(false);
    }
  };
  useConfirmKey(publish, sending.isConfirmingPublish);
  return (
    <Modal
      opened={sending.isConfirmingPublish}
      onClose={close}
      title={`${label(`Publish now to ${accounts}`)}?`}
      size={460}
    >
      <p className={styles.lead}>
        <Planned /> {canOnlyAsk ? `It goes out when ${approvers} approves it.` : 'It is public at once.'}
      </p>
      <PostSummary accountIds={rest.map(({ id }) => id)} />
      <Disclosure show="Show previews" hide="Hide previews">
        <Previews accountIds={rest.map(({ id }) => id)} />
      </Disclosure>
      <Warnings />
      {fault !== undefined && (
        <div className={styles.fault}>
          <FaultBanner fault={fault} title="The post was not published" />
        </div>
      )}
      <div className={styles.buttons}>
        <Button
          variant="send"
          size="lg"
          className={styles.publish}
          leftSection={<Send size={17} aria-hidden="true" />}
          loading={isRunning}
          onClick={() => void publish()}
        >
          {label(`Publish to ${accounts}`)}
          <span className={styles.keys}>
            <Kbd keys="⌘ ↵" inverse />
          </span>
        </Button>
        <Button variant="quiet" size="lg" onClick={close} data-autofocus>
          Cancel
        </Button>
      </div>
    </Modal>
  );
};

const Planned = () => {
  const { base } = useEditor().save;
  const zone = useZone();
  if (base?.status !== 'Scheduled' || base.scheduledAt === undefined) return null;
  return <>It is scheduled for {formatSaid(base.scheduledAt, zone)}, but goes out now instead.</>;
};

const PostSummary = ({ accountIds }: { accountIds: readonly string[] }) => {
  const { save, chosen, mediaOf, optionsOf, choicesOf } = useEditor();
  const groups = groupAccounts(
    accountIds.flatMap((id) => {
      const account = chosen.find((one) => one.id === id);
      return account ? [{ account, ...resultFor(save.draft, id) }] : [];
    }),
  );
  const [first] = groups;
  if (first === undefined) return null;
  const media = first.items.flatMap((item) => item.media);
  const contents = describeContent(first.items, mediaOf);
  const labelOf = (network: string, key: string, value: string) => {
    const account = chosen.find((one) => one.network === network);
    const option = optionsOf(network).find((one) => one.key === key);
    return option ? nameOfValue(option, (account && choicesOf(account, key)) ?? option.choices, value) : value;
  };
  return (
    <>
      <div className={styles.card}>
        {media[0] !== undefined && <Thumbnail url={thumbnailOf(media[0])} kind={mediaOf(media[0])?.kind} size={72} />}
        <div className="grow">
          <p className={styles.text} dir="auto">
            {first.items.map(({ body }) => body).join('\n\n') || 'No text'}
          </p>
          {contents && <p className="small text-2">{contents}</p>}
        </div>
      </div>
      <ul className={styles.groups}>
        {groups.map((group) => (
          <li key={group.accounts[0]?.id} className={styles.group}>
            <span className={styles.badges}>
              {group.accounts.map(({ id, network }) => (
                <NetworkBadge key={id} network={network} size={20} />
              ))}
            </span>
            <span className={styles.note} dir="auto">
              {noteOf(group, first, { mediaOf, optionsOf, labelOf })}
            </span>
          </li>
        ))}
      </ul>
    </>
  );
};

const Warnings = () => {
  const { checks } = useEditor();
  const warnings = checks.filter(({ tone }) => tone === 'orange');
  if (warnings.length === 0) return null;
  return (
    <ul className={styles.warnings} aria-label="Warnings">
      {warnings.slice(0, maxWarnings).map(({ text }) => (
        <li key={text}>
          <TriangleAlert size={15} aria-hidden="true" /> {text}
        </li>
      ))}
      {warnings.length > maxWarnings && <li>{warnings.length - maxWarnings} more, see Checks.</li>}
    </ul>
  );
};

/** ⌘↵ again, or Ctrl+Enter, publishes. The key press that opened the dialog does not. */
const useConfirmKey = (confirm: () => Promise<void>, isOpen: boolean) => {
  const latest = useRef(confirm);
  useEffect(() => {
    latest.current = confirm;
  });
  useEffect(() => {
    if (!isOpen) return;
    const press = (event: KeyboardEvent) => {
      if (event.key !== 'Enter' || !(event.metaKey || event.ctrlKey) || event.shiftKey || event.repeat) return;
      event.preventDefault();
      void latest.current();
    };
    window.addEventListener('keydown', press);
    return () => window.removeEventListener('keydown', press);
  }, [isOpen]);
};
