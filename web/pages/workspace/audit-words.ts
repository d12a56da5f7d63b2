import type { AuditEntry } from '#generated/app-client';

interface Names {
  /** Undefined for former members. */
  person: (userId: string | undefined) => string | undefined;
  network: (key: string) => string;
}

/** If a detail is `false`, its key is present and its value undefined. */
type Words = (details: Record<string, string | undefined>, names: Names) => string;

/** Follows the name of a person. */
const personTexts: Record<string, Words> = {
  'account.connected': ({ handle, network = '' }, names) => `connected ${handle} on ${names.network(network)}`,
  'account.disconnected': ({ handle, network = '' }, names) => `disconnected ${handle} from ${names.network(network)}`,
  'account.reconnected': ({ handle, network = '' }, names) => `reconnected ${handle} on ${names.network(network)}`,
  'account.linked': () => 'signed in through the identity provider for the first time',
  'approval.approved': ({ action }) => `approved: ${actionWords(action)}`,
  'approval.rejected': ({ action }) => `rejected: ${actionWords(action)}`,
  'approval.reopened': ({ action }) => `took a rejection back: ${actionWords(action)}`,
  'approval.outdated': ({ action }) => `found a request outdated: ${actionWords(action)}`,
  'bin.deleted': () => 'deleted a post for good',
  'bin.emptied': ({ posts }) => `emptied the bin, which had ${posts === '1' ? '1 post' : `${posts} posts`}`,
  'client.ended': ({ name }) => (name ? `ended the access of ${name}` : 'ended the access of a client'),
  'signing-key.rotated': () => 'made a new key to sign access tokens with',
  'clock.moved': ({ forwardMs }) => `moved the clock forward by ${hours(forwardMs)}`,
  'consent.given': ({ name }) => `let ${name ?? 'a client'} act for them`,
  'hold.released': () => 'let posts, webhooks and mails go out again after a restore',
  'import.saved': ({ fileName }) => `saved drafts from the file ${fileName}`,
  'import.scheduled': ({ fileName }) => `scheduled drafts from the file ${fileName}`,
  'import.undone': ({ fileName }) => `undid the import of the file ${fileName}`,
  'invitation.failed': ({ email }) => `could not accept an invitation for ${email}`,
  'invitation.withdrawn': () => 'withdrew an invitation',
  'link.used': () => 'signed in with a one-time link',
  'member.invited': ({ email, role }) => `invited ${email} as ${role}`,
  'member.joined': ({ role }) => `joined as ${role}`,
  'member.removed': ({ email }) => `removed ${email}`,
  'member.role': ({ userId, from, to }, names) =>
    `changed the role of ${names.person(userId) ?? 'somebody'} from ${from} to ${to}`,
  'member.approver': ({ userId, approver }, names) =>
    `${approver ? 'named' : 'no longer names'} ${names.person(userId) ?? 'somebody'} as an approver`,
  'network-keys.removed': ({ network = '' }, names) => `removed the credentials of ${names.network(network)}`,
  'network-keys.saved': ({ network = '' }, names) => `entered the credentials of ${names.network(network)}`,
  'owner.first': () => 'set Posthorn up',
  'passkey.added': ({ name }) => `added the passkey ${name}`,
  'passkey.removed': ({ name }) => `removed the passkey ${name}`,
  'totp.added': () => 'set up an authenticator app',
  'totp.removed': () => 'removed the authenticator app',
  'recovery-codes.renewed': () => 'made new recovery codes',
  'member.factors-reset': ({ email }) => `removed the second factors of ${email}`,
  'password.changed': () => 'changed their password',
  'password.failed': () => 'gave a wrong password while changing it',
  'password.asked': () => 'asked for a mail to set a new password',
  'password.link': () => 'was given a link for a new password by the operator',
  'password.reset': () => 'set a new password with a link',
  'person.deleted': ({ by }) => (by === 'self' ? 'deleted their account' : 'was deleted by the operator'),
  'session.ended': () => 'ended a session of theirs',
  'sessions.ended': () => 'was signed out everywhere by the operator',
  'share.made': () => 'shared a post for review',
  'share.revoked': () => 'ended a shared address',
  'sign-in.failed': ({ email }) => `could not sign in as ${email}`,
  'sign-in.succeeded': () => 'signed in',
  'sign-out': () => 'signed out',
  'token.created': ({ name }) => `made the token ${name}`,
  'token.revoked': () => 'revoked a token',
  'webhook.added': ({ host }) => `added a webhook for ${host}`,
  'webhook.changed': ({ host }) => (host ? `moved a webhook to ${host}` : 'changed the events of a webhook'),
  'webhook.deleted': ({ host }) => `deleted the webhook of ${host}`,
  'webhook.resent': () => 'sent a delivery again',
  'webhook.resumed': () => 'resumed a webhook',
  'webhook.secret-rotated': () => 'made a new secret for a webhook',
  'workspace.changed': (details) => {
    const { name, publishers, statisticsTools, approvalPasskey, twoFactors } = details;
    if (name) return `renamed the workspace to ${name}`;
    if (publishers) return `let ${publishers === 'approvers' ? 'approvers only' : 'everyone who edits'} publish`;
    if ('twoFactors' in details) return `${twoFactors ? 'asked' : 'no longer asks'} members for two factors`;
    if ('approvalPasskey' in details) {
      return approvalPasskey ? 'made a passkey a requirement to approve' : 'let people approve without a passkey';
    }
    return `switched the statistics tools ${statisticsTools ? 'on' : 'off'}`;
  },
  'workspace.deletion-asked': () => 'asked to delete the workspace',
  'workspace.deletion-taken-back': () => 'took the deletion of the workspace back',
  'workspace.handed-over': ({ to }, names) => `handed the workspace over to ${names.person(to) ?? 'somebody'}`,
  'workspace.created': ({ name }) => `made the workspace${name ? ` ${name}` : ''}`,
};

/** Events without a person. */
const eventTexts: Record<string, Words> = {
  'approval.expired': ({ action }) => `Nobody decided within 7 days: ${actionWords(action)}`,
  'backup.made': ({ path }) => `A backup was made: ${path}`,
  'workspace.deleted': ({ name }) => `The workspace ${name} was deleted`,
  'secrets.discarded': () => 'The operator discarded secrets that no key decrypts',
  'webhook.paused': () => 'A webhook was paused after 10 failed deliveries',
};

const actions: Record<string, string> = {
  'posts.schedule': 'schedule a post',
  'posts.publishNow': 'publish a post now',
  'posts.delete': 'delete a post',
  'posts.update': 'change a scheduled post',
  'posts.setVersionText': 'change the text of a scheduled post',
  'posts.setOption': 'change an option of a scheduled post',
  'accounts.delete': 'disconnect an account',
  unschedule: 'unschedule a post',
  publishScheduled: 'publish a scheduled post now',
  publishAgain: 'send a post again',
  giveUp: 'stop sending a post',
  changeMedia: 'change the alternative text of a file in a scheduled post',
};

const actionWords = (action = '') => actions[action] ?? action;

const hours = (ms = '0') => {
  const count = Math.round(Number(ms) / 3_600_000);
  return count >= 48 && count % 24 === 0 ? `${count / 24} days` : `${count} h`;
};

export const hasAuditWords = (event: string) =>
  event in personTexts || event in eventTexts || event === 'approval.requested';

/** `Marta invited ada@example.com as editor` */
export const auditWords = ({ event, userId, client, details }: AuditEntry, names: Names): string => {
  const texts = Object.fromEntries(
    Object.entries(details).map(([key, value]) => [key, value === false ? undefined : String(value)]),
  );
  const who = names.person(userId) ?? (userId ? 'A former member' : 'Somebody');
  if (event === 'approval.requested') {
    return `${client ? `${client} asked as ${who}` : `${who} asked`}: ${actionWords(texts.action)}`;
  }
  const eventText = eventTexts[event]?.(texts, names);
  if (eventText !== undefined) return eventText;
  const text = personTexts[event]?.(texts, names) ?? event.replaceAll(/[.-]/g, ' ');
  return `${who} ${text}${client && event.startsWith('approval.') ? ` (asked by ${client})` : ''}`;
};
