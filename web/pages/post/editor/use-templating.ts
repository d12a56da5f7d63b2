import { LayoutTemplate } from 'lucide-react';
import type { Template } from '#generated/app-client';
import { count } from '#web/parts/number.ts';
import { showToast } from '#web/parts/toasts.tsx';
import { useFormDraft } from '#web/parts/use-form-draft.ts';
import { changeSide, insertItems, resultFor, type Side, signItems, titleOf } from './draft.ts';
import type { Editor } from './use-editor.ts';

export type TemplateDraft = Pick<Template, 'kind' | 'name' | 'items' | 'options'> & { id?: string };

export type Templating = ReturnType<typeof useTemplating>;

/** Templates apply to the open version. `item`: the one focused last. */
export const useTemplating = (editor: Editor, item: number) => {
  const { save, edit, version, side } = editor;
  const [opened, setOpened] = useFormDraft<'list' | TemplateDraft | undefined>('templates', undefined);
  const own = version === undefined ? side : resultFor(save.draft, version);
  return {
    opened,
    choose: () => setOpened('list'),
    /** Opens a new template with this text, but without media, which belong to the post. */
    keep: () =>
      setOpened({
        kind: 'Text',
        name: titleOf(save.draft),
        items: own.items.map(({ body }) => body),
        options: Object.fromEntries(Object.entries(own.options).filter(([key]) => !namesFile(editor, key))),
      }),
    change: (template: TemplateDraft) => setOpened(template),
    close: () => setOpened(undefined),

    insert: ({ kind, name, items, options }: Template) => {
      const before = save.draft;
      const fitting = Object.entries(options).filter(([key, value]) => fits(editor, key, value));
      const omitted = Object.keys(options).length - fitting.length;
      const change =
        kind === 'Signature' ? signItems(items[0] ?? '') : insertItems(item, items, Object.fromEntries(fitting));
      edit(changeSide(version, change as (side: Side) => Side));
      setOpened(undefined);
      showToast({
        text:
          omitted === 0
            ? `“${name}” inserted`
            : `“${name}” inserted. ${count(omitted, 'option')} left out: no account here has ${omitted === 1 ? 'it' : 'them'}.`,
        icon: LayoutTemplate,
        action: {
          label: 'Undo',
          onClick: () => edit((draft) => ({ ...draft, original: before.original, own: before.own })),
        },
      });
    },
  };
};

const namesFile = ({ chosen, optionsOf }: Editor, key: string) =>
  chosen.some(({ network }) => optionsOf(network).some((one) => one.key === key && one.type === 'Media'));

/** Whether an account supports the option and value; the server refuses options that no account has. */
const fits = ({ chosen, version, optionsOf, choicesOf }: Editor, key: string, value: string) =>
  chosen
    .filter(({ id }) => version === undefined || id === version)
    .some((account) => {
      const option = optionsOf(account.network).find((one) => one.key === key);
      const choices = option?.searchable ? undefined : (choicesOf(account, key) ?? option?.choices);
      return option !== undefined && (choices === undefined || choices.some((choice) => choice.value === value));
    });
