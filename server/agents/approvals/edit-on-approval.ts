import type { ApprovalEdit } from '#contracts/approvals';
import type { Version, VersionInput } from '#contracts/posts';
import { findAction, type RunnableAction, runNow } from '#server/agents/admission';
import { mustBeDone } from '#server/base/approval';
import { ApprovalRun, type Caller } from '#server/base/context';
import { badInput } from '#server/base/errors';
import type { Readiness } from '#server/writing/posts/readiness';
import type { Reading } from '#server/writing/posts/reading';
import { toVersions } from '#server/writing/posts/versions';
import type { CardRow, CardStore } from './card-store.ts';
import { idOf } from './card-validity.ts';
import type { PreparedEdit } from './confirmation-store.ts';
import type { Subject, Subjects } from './subject.ts';

export type EditOnApproval = ReturnType<typeof createEditOnApproval>;

/** A person changes the post that they approve. */
export const createEditOnApproval = ({
  store,
  subjects,
  reading,
  readiness,
  actions,
}: {
  store: CardStore;
  subjects: Subjects;
  reading: Reading;
  readiness: Readiness;
  actions: ReadonlyMap<string, RunnableAction>;
}) => {
  /** The input of posts.update that applies an edit to the post as it is now. */
  const updateInput = async (caller: Caller, postId: string, edit: PreparedEdit) => {
    const post = await reading.get(caller, postId);
    const { versions = post.versions, accountIds = post.accountIds, scheduledAt } = edit;
    return {
      id: postId,
      accountIds,
      versions: versions.filter(({ accountId }) => !accountId || accountIds.includes(accountId)),
      // An empty value keeps the time of a scheduled post. A draft keeps its suggested time.
      scheduledAt: (post.status === 'Scheduled' ? scheduledAt : post.scheduledAt) ?? '',
    };
  };

  const admitUpdate = async (caller: Caller, postId: string, edit: PreparedEdit) => {
    const update = findAction(actions, 'posts.update');
    return { update, call: update.admit(await updateInput(caller, postId, edit), caller) };
  };

  /** Also returns the previous alt texts, for the description of the edit. */
  const setAlts = async (caller: Caller, { media = [] }: Subject, alts: PreparedEdit['alts'] = []) => {
    const change = findAction(actions, 'changeMedia');
    for (const { mediaId: id, alt } of alts) await runNow(change, change.admit({ id, alt }, caller), new ApprovalRun());
    const altOf = (id: string) => media.find((one) => one.id === id)?.alt ?? '';
    return alts.map(({ mediaId, alt }) => ({ mediaId, before: altOf(mediaId), alt }));
  };

  const prepareEdit = async (caller: Caller, row: CardRow, edit: ApprovalEdit): Promise<PreparedEdit> => {
    mustBeEditable(row, actions.get(row.action), edit);
    const { versions, accountIds, alts, scheduledAt } = edit;
    const accounts = accountIds && { accountIds: [...new Set(accountIds)] };
    if (versions === undefined) return { scheduledAt, alts, ...accounts };
    const { update, call } = await admitUpdate(caller, idOf(row), { versions, ...accounts });
    const prepared = mustBeDone(await update.prepare(call)).input as { versions: VersionInput[]; accountIds: string[] };
    const content = {
      id: idOf(row),
      accountIds: prepared.accountIds,
      versions: toVersions(prepared.versions, prepared.accountIds) satisfies Version[],
    };
    await readiness.makeReady(caller, content);
    return { versions: prepared.versions, scheduledAt, alts, ...accounts };
  };

  /** Edits the post on behalf of the person, and pins the card to the edited post. */
  const applyEdit = async (caller: Caller, row: CardRow, edit: PreparedEdit): Promise<Buffer> => {
    const subject = row.subject as Subject;
    const editedAlts = await setAlts(caller, subject, edit.alts);
    if (edit.versions ?? edit.accountIds ?? (subject.becomes && edit.scheduledAt)) {
      const { update, call } = await admitUpdate(caller, idOf(row), edit);
      await runNow(update, call, new ApprovalRun());
    }
    const { post, media = [], fitted } = await subjects.find(caller, 'post', idOf(row));
    const pin = (await subjects.pins(caller, 'post', [idOf(row)])).get(idOf(row));
    if (post === undefined || pin === undefined) throw new Error('the edited post of a card is gone');
    const others = (subject.media ?? []).filter(({ id }) => media.every((one) => one.id !== id));
    // The approved action sets the time of a draft next.
    const edited = edit.scheduledAt && post.status !== 'Scheduled' ? { ...post, scheduledAt: edit.scheduledAt } : post;
    const shown: Subject = {
      ...subject,
      edited,
      ...(editedAlts.length > 0 && { editedAlts }),
      media: [...media, ...others],
      ...(fitted && { fitted }),
    };
    await store.setContent(caller.workspaceId, row.id, shown, pin.ready);
    return pin.ready;
  };

  /** For an edit of only the time. The time is not part of a draft's content, so the hash stays. */
  const pinTime = async (caller: Caller, row: CardRow, { scheduledAt }: PreparedEdit) => {
    const { post, ...subject } = row.subject as Subject;
    if (post === undefined) throw new Error('a card with a time has no post');
    const edited = { ...post, ...(scheduledAt && { scheduledAt }) };
    await store.setContent(caller.workspaceId, row.id, { post, ...subject, edited }, row.contentHash);
    return row.contentHash;
  };

  return { prepareEdit, applyEdit, pinTime };
};

/**
 * If the edit changes an alt text, returns all files of the request, so that one statement locks them in a fixed order.
 */
export const filesToChange = ({ subject }: CardRow, edit: PreparedEdit | undefined) =>
  edit?.alts?.length ? ((subject as Subject).media ?? []).map(({ id }) => id) : [];

/** Refuses an edit where nothing can be edited, such as a deletion, and a new time for a request without a time. */
const mustBeEditable = (
  row: CardRow,
  action: RunnableAction | undefined,
  { accountIds, alts = [], scheduledAt }: ApprovalEdit,
) => {
  const { post, becomes, media = [] } = row.subject as Subject;
  if (post === undefined || action?.action.destructive) {
    const message = 'must be left out: there is nothing to edit in a deletion. Approve or reject it';
    throw badInput({ path: 'edit', code: 'Invalid', message });
  }
  if (post.status === 'Publishing' || becomes?.status === 'Publishing') {
    const message = 'must be left out: it goes out as it was approved. Approve or reject it';
    throw badInput({ path: 'edit', code: 'Invalid', message });
  }
  const requestAccounts = (becomes ?? post).accountIds;
  if (accountIds?.some((id) => !requestAccounts.includes(id))) {
    const message = 'must be accounts of this request. Add others in the editor';
    throw badInput({ path: 'edit.accountIds', code: 'Invalid', message });
  }
  const other = alts.findIndex(({ mediaId }) => media.every(({ id }) => id !== mediaId));
  if (other >= 0) {
    const message = 'must be a file of this request';
    throw badInput({ path: `edit.alts.${other}.mediaId`, code: 'Invalid', message });
  }
  if (scheduledAt !== undefined && !('at' in row.input) && becomes?.status !== 'Scheduled') {
    const message = 'must be left out: this request has no time';
    throw badInput({ path: 'edit.scheduledAt', code: 'Invalid', message });
  }
};
