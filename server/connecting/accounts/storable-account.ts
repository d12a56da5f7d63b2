import { isUrl } from '#contracts/is-url';
import { shorten } from '#server/base/shorten';
import { withoutBreaks } from '#server/messaging/messages/letter';
import type { Json, NetworkAccount, Profile } from '#server/networks/network';
import { NetworkTrouble } from '#server/networks/trouble';

const nameCharacters = 200;
const handleCharacters = 300;
const addressCharacters = 2_000;
const idCharacters = 1_000;
const tokenCharacters = 20_000;
const factsCharacters = 256 * 1024;

/**
 * Anybody can run a server of a decentralised network, and profiles get into lists, mails, events and prompts. So names
 * are cut, and an avatar without a usable address is left out.
 */
export const toStorableProfile = ({ name, handle, avatarUrl, facts }: Profile): Profile => {
  const storableFacts = toWellFormed(facts);
  if (JSON.stringify(storableFacts ?? null).length > factsCharacters) throw tooLong();
  const shortHandle = cut(handle, handleCharacters);
  return {
    name: cut(name, nameCharacters) || shortHandle,
    handle: shortHandle,
    ...(isAddress(avatarUrl) && { avatarUrl }),
    facts: storableFacts,
  };
};

/** Refuses long ids and tokens: cutting them would name another account or break the token. */
export const toStorableAccount = (networkAccount: NetworkAccount): NetworkAccount => {
  const { avatarUrl: _, ...account } = networkAccount;
  const { id, tokens } = account;
  const areTokensLong = [tokens.accessToken, tokens.refreshToken ?? ''].some(({ length }) => length > tokenCharacters);
  if (areTokensLong || id.length > idCharacters || /\p{Cc}/u.test(id) || !id.isWellFormed()) throw tooLong();
  return { ...account, ...toStorableProfile(networkAccount) };
};

const cut = (text: string, maxCharacters: number) =>
  shorten(withoutBreaks(text.slice(0, 4 * maxCharacters)), maxCharacters);

const isAddress = (url: string | undefined) =>
  url !== undefined && url.length <= addressCharacters && isUrl(url) && /^https?:/i.test(url);

/** PostgreSQL stores neither NUL nor half of a surrogate pair. */
const toWellFormed = (facts: Json): Json =>
  JSON.parse(JSON.stringify(facts ?? null), (_, value: unknown) =>
    typeof value === 'string' ? value.toWellFormed().replaceAll('\0', '') : value,
  );

const tooLong = () =>
  new NetworkTrouble(
    'unknown',
    'The network sends more about this account than can be stored. Connect another account, or ask whoever runs that server.',
  );
