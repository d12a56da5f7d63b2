import type { Template, TemplateKind } from '#contracts/templates';
import { bounds } from '#server/base/bounds';
import type { Clock } from '#server/base/clock';
import type { Caller } from '#server/base/context';
import { badInput, notFound, Refusal } from '#server/base/errors';
import { newId } from '#server/base/ids';
import type { Live } from '#server/base/live/live';
import type { Networks } from '#server/networks/registry';
import type { TemplateStore } from './store.ts';

interface Content {
  readonly kind: TemplateKind;
  readonly items: readonly string[];
  readonly options: Readonly<Record<string, string>>;
}

export type Templates = ReturnType<typeof createTemplates>;

/** Reusable texts. The editor copies them into a post; the post keeps no link to the template. */
export const createTemplates = ({
  store,
  networks,
  live,
  clock,
}: {
  store: TemplateStore;
  networks: Networks;
  live: Live;
  clock: Clock;
}) => {
  const mustExist = (template: Template | undefined, id: string) => {
    if (template === undefined) throw notFound('template', id);
    return template;
  };

  const tell = ({ workspaceId }: Caller, id: string) => live.publish({ workspaceId, kind: 'template', id });

  /** Option values are checked later, when the post has accounts. */
  const mustBeUsable = ({ kind, items, options }: Content) => {
    const keys = Object.keys(options);
    const unknown = keys.find((key) => networks.option(key) === undefined);
    if (unknown !== undefined) {
      const message = `names no option (${unknown}); providers.limits lists them`;
      throw badInput({ path: `options.${unknown}`, code: 'UnknownOption', message });
    }
    const file = keys.find((key) => networks.option(key)?.option.type === 'Media');
    if (file !== undefined) {
      const message = 'names a file, which stays with its post: leave the option out of a template';
      throw badInput({ path: `options.${file}`, code: 'OptionValue', message });
    }
    if (kind === 'Signature' && items.length > 1) {
      throw badInput({ path: 'items', code: 'TooBig', message: 'must have one entry in a signature', limit: 1 });
    }
    if (kind === 'Signature' && keys.length > 0) {
      throw badInput({ path: 'options', code: 'TooBig', message: 'must be empty in a signature', limit: 0 });
    }
    if (items.every((text) => text.trim() === '')) {
      throw badInput({ path: 'items', code: 'TooSmall', message: 'must have some text' });
    }
    const length = [...items, ...keys, ...Object.values(options)].reduce((sum, text) => sum + text.length, 0);
    const limit = bounds.templateCharacters;
    if (length > limit) {
      const message = `must have at most ${limit} characters in all, with the options`;
      throw badInput({ path: 'items', code: 'TooBig', message, limit, actual: length });
    }
  };

  return {
    list: ({ workspaceId }: Caller) => store.list(workspaceId),

    get: async ({ workspaceId }: Caller, id: string) => mustExist(await store.get(workspaceId, id), id),

    add: (caller: Caller, template: Pick<Template, 'kind' | 'name' | 'items' | 'options'>) =>
      store.transaction(async () => {
        mustBeUsable(template);
        await store.lockWorkspace(caller.workspaceId);
        if ((await store.count(caller.workspaceId)) >= bounds.templates) {
          throw new Refusal('Conflict', `A workspace has at most ${bounds.templates} templates. Delete one first.`);
        }
        const id = newId('template', clock.now());
        await tell(caller, id);
        return mustExist(await store.insert(caller.workspaceId, { ...template, id }), id);
      }),

    change: (caller: Caller, id: string, change: Partial<Pick<Template, 'name' | 'items' | 'options'>>) =>
      store.transaction(async () => {
        const next = { ...mustExist(await store.lock(caller.workspaceId, id), id), ...change };
        mustBeUsable(next);
        await tell(caller, id);
        return mustExist(await store.replace(caller.workspaceId, next), id);
      }),

    remove: (caller: Caller, id: string) =>
      store.transaction(async () => {
        if (!(await store.remove(caller.workspaceId, id))) throw notFound('template', id);
        await tell(caller, id);
      }),
  };
};
