import type { Account, EditorView, MediaItem, Post } from '#generated/app-client';
import { formatNumber } from '#web/parts/number.ts';
import { replaceOptionKeys } from '#web/parts/replace-option-keys.ts';
import { type Draft, hasOwnText, resultFor } from './draft.ts';
import type { Constraints, Option } from './limits.ts';
import { lengthOf } from './text-length.ts';
import { fields, type Place } from './use-reveal.ts';

type Issue = EditorView['issues'][number];

/** Red blocks publishing. */
export interface Check {
  readonly tone: 'red' | 'orange' | 'info';
  readonly networks: readonly string[];
  /** Accounts that it concerns; empty for all of them. */
  readonly accountIds: readonly string[];
  readonly text: string;
  /** Text of its link. */
  readonly act?: string | undefined;
  readonly place?: Place | undefined;
  /** The item that is too long. */
  readonly item?: number | undefined;
  /** An option that fixes it, with one button per value. */
  readonly fix?: Fix | undefined;
}

export interface Fix {
  readonly key: string;
  readonly values: readonly string[];
  readonly accountId: string;
}

interface CheckInput {
  readonly draft: Draft;
  readonly chosen: readonly Account[];
  readonly base: Post | undefined;
  readonly issues: readonly Issue[];
  readonly warnings: readonly Issue[];
  readonly limitsOf: (account: Account) => Constraints | undefined;
  readonly optionsOf: (network: string) => readonly Option[];
  readonly mediaOf: (id: string) => MediaItem | undefined;
  readonly isSandbox: (network: string) => boolean;
}

/** Checked here on every key press; the server reports the others after each save. */
const countedHere = ['TooLong', 'TooManyBytes', 'TextRequired', 'NoAccounts'];

/** Only the network knows which options another option makes required, so the server reports those. */
const isCountedHere = ({ chosen, optionsOf }: CheckInput, { code, path, accountId }: Issue) => {
  if (code !== 'OptionRequired') return countedHere.includes(code);
  const network = chosen.find(({ id }) => id === accountId)?.network ?? '';
  return optionsOf(network).some(({ key, required }) => required && path.endsWith(`options.${key}`));
};

/** Errors, warnings and notes, without duplicates. */
export const checksOf = (input: CheckInput): Check[] => {
  const { chosen, issues, warnings, draft } = input;
  const checks = [
    ...chosen.flatMap((account) => checkAccount(input, account)),
    ...issues.filter((issue) => !isCountedHere(input, issue)).map((issue) => toCheck(input, issue, 'red')),
    ...warnings.filter((issue) => isWorthSaying(input, issue)).map((issue) => toCheck(input, issue, 'orange')),
    ...altChecks(input),
  ];
  if (chosen.length === 0 && !isEmpty(draft)) checks.unshift(noAccount);
  const order = ['red', 'orange', 'info'];
  return mergeChecks(checks).sort((one, other) => order.indexOf(one.tone) - order.indexOf(other.tone));
};

/** Hides harmless issues: sandboxes can fetch media from this server; options of unselected accounts do no harm. */
const isWorthSaying = ({ chosen, isSandbox }: CheckInput, { code, accountId }: Issue) =>
  !countedHere.includes(code) &&
  code !== 'OptionUnused' &&
  !(code === 'MediaNotPublic' && chosen.some(({ id, network }) => id === accountId && isSandbox(network)));

const noAccount: Check = {
  tone: 'red',
  networks: [],
  accountIds: [],
  text: 'No account is chosen',
  act: 'Choose',
  place: { field: fields.accounts },
};

export const isEmpty = ({ original, own }: Draft) =>
  [original, ...Object.values(own)].every(({ items = [] }) =>
    items.every(({ body, media }) => body.trim() === '' && media.length === 0),
  );

const checkAccount = (input: CheckInput, account: Account): Check[] => {
  const { draft, limitsOf, optionsOf } = input;
  const limits = limitsOf(account);
  if (limits === undefined || isEmpty(draft)) return [];
  const { items, options } = resultFor(draft, account.id);
  const version = hasOwnText(draft, account.id) ? account.id : undefined;
  const concerned = { networks: [account.network], accountIds: [account.id] };
  const checks: Check[] = [];
  const isThread = items.length > 1;
  for (const [index, { body, media }] of items.entries()) {
    const place = { version, field: fields.body(index) };
    const where = isThread ? `Item ${index + 1}: ` : '';
    const { over, bytesOver } = lengthOf(limits, body, options);
    if (over > 0 || bytesOver > 0) {
      const text = `${where}${over > 0 ? describeOver(over) : `${bytesOver} bytes too many`}`;
      // Shortening only concerns this account, so open its version.
      checks.push({
        tone: 'red',
        ...concerned,
        text,
        act: 'Shorten',
        place: { ...place, version: account.id },
        item: index,
      });
    }
    const isComment = index > 0 && limits.thread.form === 'Comments';
    if (body.trim() === '' && (limits.characters.required || isComment || media.length === 0)) {
      const text = isThread ? `Item ${index + 1} is empty` : 'A text is needed';
      checks.push({ tone: 'red', ...concerned, text, act: 'Write', place });
    }
  }
  if (isThread && limits.thread.form === 'Comments' && items.length <= limits.thread.max) {
    const text =
      items.length === 2
        ? 'No threads here: item 2 becomes the first comment'
        : 'No threads here: items after the first become comments';
    checks.push({ tone: 'info', ...concerned, text });
  }
  for (const option of optionsOf(account.network)) {
    if (!option.required || (options[option.key] ?? option.default)) continue;
    const place = { version, field: fields.option(option.key) };
    checks.push({ tone: 'red', ...concerned, text: `${option.label} is needed`, act: 'Choose', place });
  }
  return checks;
};

const describeOver = (over: number) => `${formatNumber(over)} ${over === 1 ? 'character' : 'characters'} too many`;

const altChecks = ({ draft, mediaOf, chosen }: CheckInput): Check[] => {
  if (chosen.length === 0) return [];
  return draft.original.items.flatMap(({ media }, item) =>
    media.flatMap((id, file): Check[] => {
      const image = mediaOf(id);
      if (image === undefined || image.kind !== 'Image' || image.alt) return [];
      const text = `Image ${file + 1}${item > 0 ? ` of item ${item + 1}` : ''} has no alt text`;
      return [
        { tone: 'orange', networks: [], accountIds: [], text, act: 'Add', place: { field: fields.file(item, file) } },
      ];
    }),
  );
};

/** Codes of notes that need no action. */
const notes = ['MediaFitted', 'Declaration'];

const toCheck = ({ base, chosen, optionsOf }: CheckInput, issue: Issue, tone: 'red' | 'orange'): Check => {
  const account = chosen.find(({ id }) => id === issue.accountId);
  const [, at, rest = issue.path] = /^versions\.(\d+)\.(.*)$/.exec(issue.path) ?? [];
  const version = at === undefined ? undefined : base?.versions[Number(at)]?.accountId;
  // A declaration contains links, which would not work inside a button.
  const field = issue.code === 'Declaration' ? undefined : fieldOf(rest);
  const networks = account?.network ? [account.network] : [];
  const accountIds = account ? [account.id] : [];
  const place = field ? { version, field } : undefined;
  const fix = issue.fix && account ? { ...issue.fix, accountId: account.id } : undefined;
  // The fix buttons replace this hint.
  const message = issue.message.replace(fix ? /, or set [^,]*\.$/ : /\.$/, '');
  const text = account ? replaceOptionKeys(message, optionsOf(account.network)) : message;
  return {
    tone: notes.includes(issue.code) ? 'info' : tone,
    networks,
    accountIds,
    text,
    act: field && 'Show',
    place,
    fix,
  };
};

const fieldOf = (path: string): string | undefined => {
  const [, item = '0', part, file] = /^content(?:\.(\d+)(?:\.(\w+)(?:\.(\d+))?)?)?/.exec(path) ?? [];
  if (path.startsWith('accountIds')) return fields.accounts;
  if (path.startsWith('options.')) return fields.option(path.slice('options.'.length));
  if (!path.startsWith('content')) return undefined;
  if (part !== 'media') return fields.body(Number(item));
  return file === undefined ? fields.media(Number(item)) : fields.file(Number(item), Number(file));
};

const joinConcerned = (one: Check, other: Check) => ({
  networks: [...new Set([...one.networks, ...other.networks])],
  accountIds: [...new Set([...one.accountIds, ...other.accountIds])],
});

/** Accounts for which nothing is broken. */
export const readyAccounts = (checks: readonly Check[], accountIds: readonly string[]): readonly string[] => {
  const broken = checks.filter(({ tone }) => tone === 'red');
  if (broken.some((check) => check.accountIds.length === 0)) return [];
  const isBroken = (id: string) => broken.some((check) => check.accountIds.includes(id));
  return accountIds.filter((id) => !isBroken(id));
};

/** Merges equal messages about several networks. */
const mergeChecks = (checks: readonly Check[]): Check[] => {
  const byKey = new Map<string, Check>();
  for (const check of checks) {
    const key = `${check.tone} ${check.text} ${check.place?.version} ${check.place?.field} ${check.fix?.key}`;
    const before = byKey.get(key);
    byKey.set(key, before ? { ...before, ...joinConcerned(before, check) } : check);
  }
  // One option fixes all images of a network, so offer it once.
  const offered = new Set<string>();
  return [...byKey.values()].map(({ fix, ...check }) => {
    const name = fix && `${fix.key} ${fix.values.join()}`;
    const isNew = name !== undefined && !offered.has(name);
    if (isNew) offered.add(name);
    return isNew ? { ...check, fix } : check;
  });
};
