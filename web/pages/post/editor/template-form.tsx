import { Button, SegmentedControl, Textarea, TextInput } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { app } from '#web/base/api.ts';
import { fieldFault } from '#web/base/faults.ts';
import { keys } from '#web/base/queries.ts';
import { FaultBanner } from '#web/parts/fault-banner.tsx';
import { count } from '#web/parts/number.ts';
import { showToast } from '#web/parts/toasts.tsx';
import { useFormDraft } from '#web/parts/use-form-draft.ts';
import styles from './templates-dialog.module.css';
import type { TemplateDraft } from './use-templating.ts';

const kinds = [
  { value: 'Text', label: 'Text with options' },
  { value: 'Signature', label: 'Signature' },
] as const;

export const TemplateForm = ({ start, onDone }: { start: TemplateDraft; onDone: () => void }) => {
  const { id } = start;
  const client = useQueryClient();
  const [kind, setKind] = useFormDraft('kind of the template', start.kind);
  const [name, setName] = useFormDraft('name of the template', start.name);
  const [items, setItems] = useFormDraft<readonly string[]>('items of the template', start.items);
  const isSignature = kind === 'Signature';
  // A signature goes at the end of a post, so only the last item counts.
  const texts = isSignature ? items.slice(-1) : items;
  const options = isSignature ? {} : start.options;
  const { mutate, error, isPending } = useMutation({
    mutationFn: () => {
      const content = { name: name.trim(), items: [...texts], options: { ...options } };
      return id ? app.changeTemplate({ id, ...content }) : app.addTemplate({ kind, ...content });
    },
    onSuccess: async (saved) => {
      await client.invalidateQueries({ queryKey: keys.templates });
      showToast({ text: `“${saved.name}” is kept as a ${isSignature ? 'signature' : 'template'}` });
      onDone();
    },
  });
  const ofName = fieldFault(error, 'name', 'The name');
  const ofItems = fieldFault(error, 'items', 'The text');
  const optionCount = Object.keys(options).length;
  return (
    <form
      className={styles.form}
      onSubmit={(event) => {
        event.preventDefault();
        mutate();
      }}
    >
      <TextInput
        label="Name"
        value={name}
        maxLength={80}
        data-autofocus
        error={ofName}
        onChange={({ currentTarget }) => setName(currentTarget.value)}
      />
      {!id && start.items.some((text) => text !== '') && (
        <SegmentedControl
          aria-label="Kind"
          data={kinds.map((one) => ({ ...one }))}
          value={kind}
          onChange={(value) => setKind(value as TemplateDraft['kind'])}
        />
      )}
      {texts.map((text, index) => {
        const at = isSignature ? items.length - 1 : index;
        return (
          <Textarea
            key={at}
            label={texts.length > 1 ? `Item ${index + 1}` : isSignature ? 'Signature' : 'Text'}
            description={isSignature ? 'It goes to the end of the text.' : undefined}
            value={text}
            autosize
            minRows={isSignature ? 2 : 3}
            maxRows={10}
            dir="auto"
            error={index === 0 ? ofItems : undefined}
            onChange={({ currentTarget }) =>
              setItems(items.map((one, place) => (place === at ? currentTarget.value : one)))
            }
          />
        );
      })}
      {optionCount > 0 && (
        <p className="small text-2">It also keeps {count(optionCount, 'option')}. Media stay with the post.</p>
      )}
      {error && !ofName && !ofItems && <FaultBanner fault={error} title="The template was not saved" />}
      <div className={styles.buttons} style={{ marginTop: 0 }}>
        <Button variant="quiet" onClick={onDone}>
          Cancel
        </Button>
        <Button type="submit" variant="ink" loading={isPending}>
          Save
        </Button>
      </div>
    </form>
  );
};
