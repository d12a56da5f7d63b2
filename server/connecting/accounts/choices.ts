import type { Choice } from '#contracts/providers';
import type { Caller } from '#server/base/context';
import { badInput, notFound } from '#server/base/errors';
import type { Lookup, Network } from '#server/networks/network';
import type { Networks } from '#server/networks/registry';
import { asTrouble, NetworkTrouble, whatHappened } from '#server/networks/trouble';
import type { AccountAccess } from './access.ts';
import type { AccountRow } from './account-row.ts';
import type { AccountStore } from './account-store.ts';
import type { ChoiceNameStore } from './choice-name-store.ts';

const maxChoices = 20;
/** Anybody can run a server of some networks and send values of any length. */
const maxValueLength = 100;
const maxLabelLength = 200;

export type Choices = ReturnType<typeof createChoices>;

/** Searches the network of an account for values of options that only it knows: places, communities, collections. */
export const createChoices = ({
  store,
  choiceNames,
  access,
  networks,
  report,
}: {
  store: AccountStore;
  choiceNames: ChoiceNameStore;
  access: AccountAccess;
  networks: Networks;
  report: (error: unknown) => void;
}) => {
  const look = async (row: AccountRow, lookup: Lookup, words: string): Promise<readonly Choice[]> => {
    let opened = await access.forReading.open(row);
    for (let isRenewed = false; ; isRenewed = true) {
      if (opened.is === 'refused') throw new NetworkTrouble('token', 'Connect the account again.');
      if (opened.is === 'trouble') throw opened.trouble;
      if (opened.is === 'busy') throw new NetworkTrouble('temporary', 'Its access is being renewed. Try again.');
      const { site, account } = opened;
      try {
        return await lookup(site, account, words);
      } catch (error) {
        if (isRenewed || asTrouble(error).kind !== 'token') throw error;
        opened = await access.forReading.renewed(row, account.tokens);
      }
    }
  };

  return {
    find: async (
      { workspaceId }: Caller,
      accountId: string,
      { option, words }: { readonly option: string; readonly words: string },
    ): Promise<{ choices: Choice[]; problem?: string }> => {
      const row = await store.get(accountId);
      if (row?.workspaceId !== workspaceId || row.disconnectedAt !== null) throw notFound('account', accountId);
      const network = networks.get(row.network);
      const lookup = network.lookups?.[option];
      if (lookup === undefined) {
        const message = `names ${option}, which ${network.name} cannot be searched for`;
        throw badInput({ path: 'option', code: 'BadFormat', message });
      }
      try {
        const choices = (await look(row, lookup, words)).slice(0, maxChoices).flatMap(toStorable);
        await choiceNames.save(row, option, choices);
        return { choices };
      } catch (error) {
        return { choices: [], problem: problemOf(network, asTrouble(error, report)) };
      }
    },
  };
};

const toStorable = ({ value, label }: Choice): Choice[] => {
  const name = label.toWellFormed().replaceAll('\0', '').trim().slice(0, maxLabelLength);
  return value === '' || value.length > maxValueLength ? [] : [{ value, label: name || value }];
};

const problemOf = (network: Network, trouble: NetworkTrouble): string => {
  const { kind, message } = trouble;
  if (kind === 'content' || kind === 'media') return `${network.name} does not accept this search. Use other words.`;
  if (kind === 'permission' || kind === 'token') return message;
  return `${whatHappened(trouble, network)} Try again later.`;
};
