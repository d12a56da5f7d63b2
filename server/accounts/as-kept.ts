import { isUrl } from '#contracts/is-url';
import { withoutBreaks } from '#server/messages/letter';
import type { Json, NetworkAccount, Profile } from '#server/networks/network';
import { NetworkTrouble } from '#server/networks/trouble';

const nameCharacters = 200;
const handleCharacters = 300;
const addressCharacters = 2_000;
const idCharacters = 1_000;
const tokenCharacters = 20_000;
const factsCharacters = 256 * 1024;

/**
 * What a network says of an account, as it is kept: names are cut, a picture without a usable address is left out. Anybody
 * can run a server of some networks, and names get into lists, mails, events and texts for models.
 */
export const profileAsKept = ({ name, handle, avatarUrl, facts }: Profile): Profile => {
  const kept = wellFormed(facts);
  if (JSON.stringify(kept ?? null).length > factsCharacters) throw tooMuch();
  const shown = cut(handle, handleCharacters);
  return {
    name: cut(name, nameCharacters) || shown,
    handle: shown,
    ...(isAddress(avatarUrl) && { avatarUrl }),
    facts: kept,
  };
};

/** What cannot be cut without becoming another account or a wrong token is refused. */
export const accountAsKept = (told: NetworkAccount): NetworkAccount => {
  const { avatarUrl: _, ...account } = told;
  const { id, tokens } = account;
  const areTokensLong = [tokens.accessToken, tokens.refreshToken ?? ''].some(({ length }) => length > tokenCharacters);
  if (areTokensLong || id.length > idCharacters || /\p{Cc}/u.test(id) || !id.isWellFormed()) throw tooMuch();
  return { ...account, ...profileAsKept(told) };
};

const cut = (text: string, most: number) => {
  const line = withoutBreaks(text.slice(0, 4 * most));
  const letters = [...line];
  return letters.length <= most ? line : `${letters.slice(0, most - 1).join('')}…`;
};

const isAddress = (url: string | undefined) =>
  url !== undefined && url.length <= addressCharacters && isUrl(url) && /^https?:/i.test(url);

/** PostgreSQL keeps neither a NUL nor half of a surrogate pair. */
const wellFormed = (facts: Json): Json =>
  JSON.parse(JSON.stringify(facts ?? null), (_, value: unknown) =>
    typeof value === 'string' ? value.toWellFormed().replaceAll('\0', '') : value,
  );

const tooMuch = () =>
  new NetworkTrouble(
    'unknown',
    'The network says more about this account than can be kept. Connect another account, or ask whoever runs that server.',
  );
