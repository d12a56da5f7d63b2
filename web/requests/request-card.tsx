import { useQuery } from '@tanstack/react-query';
import {
  Check,
  CircleAlert,
  CircleCheck,
  CircleHelp,
  Clock,
  Info,
  LoaderCircle,
  type LucideIcon,
  Trash2,
  TriangleAlert,
  Unplug,
  X,
} from 'lucide-react';
import { useEffect } from 'react';
import type { ApprovalCard, ApprovalEdit } from '#generated/app-client';
import { app } from '#web/base/api.ts';
import { handleOf, useNetworks } from '#web/base/networks.ts';
import { keys, queries } from '#web/base/queries.ts';
import { useSession, useZone } from '#web/base/session.ts';
import { formatDay, formatRelative } from '#web/base/time.ts';
import { AdviceList } from '#web/parts/advice-list.tsx';
import { Banner } from '#web/parts/banner.tsx';
import { DiffText } from '#web/parts/diff-text.tsx';
import { Disclosure } from '#web/parts/disclosure.tsx';
import { LinkedText } from '#web/parts/linked-text.tsx';
import { NetworkBadge } from '#web/parts/network-badge.tsx';
import { count } from '#web/parts/number.ts';
import { replaceOptionKeys } from '#web/parts/replace-option-keys.ts';
import { Chip, StateChip } from '#web/parts/state-chip.tsx';
import { Thumbnail } from '#web/parts/thumbnail.tsx';
import { closeToast, toastIdOf } from '#web/parts/toasts.tsx';
import { useNow } from '#web/parts/use-now.ts';
import { When } from '#web/parts/when.tsx';
import styles from './card.module.css';
import { CardActions } from './card-actions.tsx';
import { CardContent } from './card-content.tsx';
import { CardPreviews } from './card-previews.tsx';
import { isDestructive, needsDecision } from './card-state.ts';
import { mediaWithEdit, withEdit } from './edit-of-request.ts';
import { EditedAlts } from './edited-texts.tsx';
import { fitsLine, formatMoment, titleOf } from './format-request.ts';
import { Receipt } from './receipt.tsx';

const pollMs = 2_000;

/** `decision`: who decided it and when. */
export const RequestCard = ({
  card: listed,
  decision,
  wasDecided,
  edit,
  actions,
}: {
  card: ApprovalCard;
  decision: string;
  /** The person's edit of an open request, shown as a diff. */
  edit?: ApprovalEdit | undefined;
  /** In place of the buttons of the card. */
  actions?: React.ReactNode;
  /** Someone else decided before this click. */
  wasDecided: boolean;
}) => {
  const zone = useZone();
  useNow();
  const { data: card = listed } = useQuery({
    queryKey: keys.approval(listed.id),
    queryFn: ({ signal }) => app.getApproval({ id: listed.id }, { signal }),
    placeholderData: listed,
    // No event reports the progress of a video, so poll.
    refetchInterval: ({ state }) => (state.data?.preparing ? pollMs : false),
  });
  // The card is on screen, so its toast is redundant.
  useEffect(() => closeToast(toastIdOf('approval', listed.id)), [listed.id]);
  const { title, warning } = titleOf(card, zone);
  const { post } = card;
  const isOpen = card.status === 'Open';
  const at = typeof card.input.at === 'string' ? card.input.at : undefined;
  return (
    <article className={styles.card} data-row={card.id} data-status={card.status} tabIndex={-1} aria-label={title}>
      <header className={styles.head}>
        <div className="grow">
          <h2 className={styles.title}>
            <DangerIcon card={card} />
            {title}
          </h2>
          <p className="small text-3">
            Asked {formatMoment(card.createdAt, zone)}
            {!needsDecision(card) && ` · ${decision}`}
            {isOpen && at && ` · ${formatRelative(at)}`}
            {isOpen && post?.status === 'Scheduled' && post.scheduledAt && (
              <>
                {' · goes out '}
                <When at={post.scheduledAt} form="full" />
              </>
            )}
            {isOpen && ` · card open until ${formatDay(card.expiresAt, zone).replace(/^\w+ /, '')}`}
          </p>
        </div>
        <StatusChip card={card} />
      </header>
      {wasDecided && !isOpen && (
        <div className={styles.banner}>
          <Banner tone="blue" title={`This card was already ${decision}.`}>
            Nothing was done twice.
          </Banner>
        </div>
      )}
      {card.changedPost && needsDecision(card) && (
        <div className={styles.banner}>
          <Banner
            tone="plum"
            title={
              <>
                This is not what <bdi>{card.client}</bdi> asked about
              </>
            }
          >
            <Editor card={card} /> The request cannot be approved as it stands.
          </Banner>
        </div>
      )}
      {warning && (
        <p className={styles.warning}>
          <TriangleAlert size={16} aria-hidden="true" />
          {warning}
        </p>
      )}
      <Changes card={card} />
      {card.reason && (
        <blockquote className={styles.reason} dir="auto">
          {card.reason}
        </blockquote>
      )}
      {card.edited && <p className={`small ${styles.line}`}>Approved with an edit:</p>}
      {card.editedAlts && (
        <div className={styles.section}>
          <EditedAlts alts={card.editedAlts} />
        </div>
      )}
      <CardContent
        card={{ ...card, media: mediaWithEdit(card, edit) }}
        now={card.changedPost ?? card.edited ?? (edit ? withEdit(card, edit) : card.becomes)}
      />
      {post && post.accountIds.length > 0 && !isDestructive(card) && (
        <div className={styles.section}>
          <Disclosure show="Show previews" hide="Hide previews">
            <CardPreviews card={card} content={card.changedPost ?? card.edited ?? withEdit(card, edit) ?? post} />
          </Disclosure>
        </div>
      )}
      {card.account && <AccountLine card={card} />}
      {card.action === 'changeMedia' && <AltChange card={card} />}
      {post && <AdviceList postId={post.id} />}
      {isOpen && <Checks card={card} />}
      {card.status === 'Expired' && (
        <p className={`text-3 small ${styles.line}`}>Nobody decided within 7 days. Ask the client again.</p>
      )}
      {actions === undefined ? <CardActions card={card} /> : actions}
      {(card.status === 'Approved' || card.status === 'Rejected') && <Receipt card={card} />}
    </article>
  );
};

/** `Jonas edited the post at 13:52.` */
const Editor = ({ card: { post, changedPost, createdAt } }: { card: ApprovalCard }) => {
  const zone = useZone();
  const { user } = useSession();
  const id = post?.id ?? '';
  const { data } = useQuery({
    queryKey: keys.changes(id),
    queryFn: ({ signal }) => app.listChanges({ id }, { signal }),
    enabled: id !== '',
  });
  const edit = data?.entries.find(({ kind, at }) => kind === 'Edited' && at > createdAt);
  const when = formatMoment(edit?.at ?? changedPost?.updatedAt ?? createdAt, zone);
  if (edit?.person === undefined) return `The post was edited ${when}.`;
  return `${edit.person.id === user.id ? 'You' : edit.person.name} edited the post ${when}.`;
};

const DangerIcon = ({ card }: { card: ApprovalCard }) => {
  if (!isDestructive(card)) return null;
  const Icon = card.account ? Unplug : Trash2;
  return <Icon className={styles.danger} size={18} strokeWidth={1.75} aria-hidden="true" />;
};

const StatusChip = ({ card }: { card: ApprovalCard }) => {
  if (card.status === 'Open') return <StateChip state="Waiting" />;
  if (card.status === 'Approved') {
    return (
      <Chip tone="green" icon={Check}>
        Approved
      </Chip>
    );
  }
  if (card.status === 'Rejected') {
    return (
      <Chip tone="grey" icon={X}>
        Rejected
      </Chip>
    );
  }
  return card.status === 'Expired' ? (
    <Chip tone="grey" icon={Clock}>
      Expired
    </Chip>
  ) : (
    <Chip tone="plum" icon={CircleHelp}>
      {card.account ? 'Account changed' : 'Post changed'}
    </Chip>
  );
};

/** Time and account changes; text and options are shown as diffs. */
const Changes = ({ card: { post, becomes, accounts } }: { card: ApprovalCard }) => {
  if (post === undefined || becomes === undefined) return null;
  const without = (those: typeof post, these: typeof post) =>
    accounts.filter(({ id }) => these.accountIds.includes(id) && !those.accountIds.includes(id));
  const [added, removed] = [without(post, becomes), without(becomes, post)];
  const { scheduledAt: at } = becomes;
  return (
    <>
      {at !== undefined && at !== post.scheduledAt && (
        <p className={`small ${styles.line}`}>
          Goes out <When at={at} form="full" />
          {post.scheduledAt && (
            <>
              {' instead of '}
              <When at={post.scheduledAt} form="full" />
            </>
          )}
        </p>
      )}
      {added.length > 0 && <AccountNames words="Also goes to" accounts={added} />}
      {removed.length > 0 && <AccountNames words="No longer goes to" accounts={removed} />}
    </>
  );
};

const AccountNames = ({ words, accounts }: { words: string; accounts: ApprovalCard['accounts'] }) => (
  <p className={`small ${styles.line} ${styles.names}`}>
    {words}
    {accounts.map((account) => (
      <span key={account.id} className={styles.who}>
        <NetworkBadge network={account.network} /> {handleOf(account)}
      </span>
    ))}
  </p>
);

const AccountLine = ({ card: { account, scheduledPosts = [] } }: { card: ApprovalCard }) =>
  account && (
    <section className={styles.section}>
      <p className={styles.who}>
        <NetworkBadge network={account.network} />
        <span>
          {account.provider} <span className="text-2">{handleOf(account)}</span>
        </span>
      </p>
      {scheduledPosts.length > 0 && (
        <>
          <p className={styles.failing}>{count(scheduledPosts.length, 'scheduled post')} will fail there</p>
          <ul className={styles.posts}>
            {scheduledPosts.slice(0, 10).map(({ id, text, scheduledAt }) => (
              <li key={id}>
                <span className="one-line" dir="auto">
                  {text || 'Empty post'}
                </span>
                <When at={scheduledAt} form="full" className="text-2" />
              </li>
            ))}
          </ul>
          {scheduledPosts.length > 10 && <p className="small text-3">and {scheduledPosts.length - 10} more</p>}
        </>
      )}
    </section>
  );

/** The file, and what its alternative text would become. */
const AltChange = ({ card: { media, input } }: { card: ApprovalCard }) =>
  media.map(({ id, kind, thumbnailUrl, alt = '' }) => (
    <section key={id} className={styles.section}>
      <Thumbnail url={thumbnailUrl} kind={kind} size={72} />
      <p className="small text-3">Alternative text</p>
      <DiffText before={alt} after={String(input.alt)} />
    </section>
  ));

/** Validation against the current limits of the networks. */
const Checks = ({ card: { post, becomes, accounts, validation, action } }: { card: ApprovalCard }) => {
  const networks = useNetworks().list;
  if (post === undefined || validation === undefined || action === 'posts.delete') return null;
  const { issues } = validation;
  const places = (becomes ?? post).accountIds.length;
  // A sandbox network can fetch media from this server.
  const sandboxAccounts = accounts.filter(({ network }) =>
    networks.some((one) => one.network === network && one.sandbox),
  );
  const warnings = validation.warnings.filter(
    ({ code, accountId }) => !(code === 'MediaNotPublic' && sandboxAccounts.some(({ id }) => id === accountId)),
  );
  return (
    <>
      {issues.length === 0 && places > 0 && (
        <p className={styles.fits}>
          <CircleCheck size={16} aria-hidden="true" />
          {fitsLine(places)}
        </p>
      )}
      <CheckList kind="issue" icon={CircleAlert} found={issues.filter((one) => !isPreparing(one))} />
      <CheckList kind="note" icon={LoaderCircle} found={issues.filter(isPreparing)} />
      <CheckList kind="warning" icon={TriangleAlert} found={warnings.filter((one) => !isNote(one))} />
      <CheckList kind="note" icon={Info} found={warnings.filter(isNote)} />
    </>
  );
};

type Findings = NonNullable<ApprovalCard['validation']>['issues'];

/** A file that is still being prepared for a network. */
const isPreparing = ({ code }: Findings[number]) => code === 'MediaFitting';

/** Informational: the card shows the fitted image, and what approving declares. */
const isNote = ({ code }: Findings[number]) => code === 'MediaFitted' || code === 'Declaration';

const CheckList = ({
  kind,
  icon: Icon,
  found,
}: {
  kind: 'issue' | 'warning' | 'note';
  icon: LucideIcon;
  found: Findings;
}) => {
  const limits = useQuery(queries.limits).data?.providers ?? [];
  const optionsOf = (name: string) => limits.find(({ provider }) => provider === name)?.options ?? [];
  if (found.length === 0) return null;
  return (
    <ul className={styles.checks}>
      {found.map(({ path, code, message, provider = '' }) => (
        <li key={`${path} ${code} ${provider}`} data-kind={kind}>
          <Icon size={16} aria-hidden="true" />
          <span>
            {provider && !message.includes(provider) && `${provider}: `}
            <LinkedText text={replaceOptionKeys(message, optionsOf(provider))} />
          </span>
        </li>
      ))}
    </ul>
  );
};
