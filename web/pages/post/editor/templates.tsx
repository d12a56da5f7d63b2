import { ActionIcon, Button, Modal } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { LayoutTemplate, Pencil, Trash2 } from 'lucide-react';
import { useState } from 'react';
import type { TemplateSummary } from '#generated/app-client';
import { app } from '#web/base/api.ts';
import { keys, queries } from '#web/base/queries.ts';
import { EmptyState } from '#web/parts/empty-state.tsx';
import { Loaded } from '#web/parts/loaded.tsx';
import { count } from '#web/parts/number.ts';
import { showFault } from '#web/parts/toasts.tsx';
import { TemplateForm } from './template-form.tsx';
import styles from './templates-dialog.module.css';
import type { Templating } from './use-templating.ts';

export default function Templates({ templating }: { templating: Templating }) {
  const { opened, close } = templating;
  const isForm = opened !== undefined && opened !== 'list';
  const title = !isForm
    ? 'Templates'
    : opened.id
      ? 'Change the template'
      : opened.kind === 'Signature'
        ? 'New signature'
        : 'Save as template';
  return (
    <Modal opened onClose={close} title={title} size={560}>
      {isForm ? (
        <TemplateForm key={opened.id} start={opened} onDone={opened.id ? templating.choose : close} />
      ) : (
        <List templating={templating} />
      )}
    </Modal>
  );
}

const groups = [
  ['Text', 'Texts'],
  ['Signature', 'Signatures'],
] as const;

const List = ({ templating }: { templating: Templating }) => (
  <Loaded query={useQuery(queries.templates)} title="The templates could not be loaded" rows={4} height={52}>
    {({ templates }) => (
      <>
        {templates.length === 0 && (
          <EmptyState icon={LayoutTemplate} title="No templates yet" level={3}>
            Write a post, then keep its text and options with Save as template.
          </EmptyState>
        )}
        {groups.map(([kind, title]) => {
          const ofKind = templates.filter((template) => template.kind === kind);
          return (
            ofKind.length > 0 && (
              <section key={kind} aria-label={title}>
                <h3 className={styles.group}>{title}</h3>
                <ul className={styles.list} aria-label={title}>
                  {ofKind.map((template) => (
                    <TemplateRow key={template.id} template={template} templating={templating} />
                  ))}
                </ul>
              </section>
            )
          );
        })}
        <div className={styles.buttons}>
          <Button
            className={styles.first}
            onClick={() => templating.change({ kind: 'Signature', name: '', items: [''], options: {} })}
          >
            New signature
          </Button>
          <Button variant="quiet" onClick={templating.close}>
            Cancel
          </Button>
          <Button onClick={templating.keep}>Save this post as template</Button>
        </div>
      </>
    )}
  </Loaded>
);

const TemplateRow = ({ template, templating }: { template: TemplateSummary; templating: Templating }) => {
  const { id, name, text, items, options } = template;
  const client = useQueryClient();
  const [isConfirming, setIsConfirming] = useState(false);
  const read = () => client.fetchQuery({ queryKey: keys.template(id), queryFn: () => app.getTemplate({ id }) });
  const insert = useMutation({ mutationFn: read, onSuccess: templating.insert, onError: showFault });
  const change = useMutation({ mutationFn: read, onSuccess: templating.change, onError: showFault });
  const remove = useMutation({
    mutationFn: () => app.deleteTemplate({ id }),
    onError: showFault,
    onSettled: () => client.invalidateQueries({ queryKey: keys.templates }),
  });
  const facts = [items > 1 && count(items, 'item'), options > 0 && count(options, 'option')].filter(Boolean).join(', ');
  if (isConfirming) {
    return (
      <li className={styles.row} style={{ minHeight: 52 }}>
        <span className={`small ${styles.ask}`}>Delete “{name}”? Posts that it is in stay as they are.</span>
        <Button size="xs" variant="quiet" onClick={() => setIsConfirming(false)}>
          Keep
        </Button>
        <Button size="xs" variant="danger" loading={remove.isPending} onClick={() => remove.mutate()}>
          Delete
        </Button>
      </li>
    );
  }
  return (
    <li className={styles.row}>
      <button type="button" className={styles.insert} onClick={() => insert.mutate()}>
        <span className={`one-line ${styles.name}`} dir="auto">
          <span className="hidden">Insert </span>
          {name}
        </span>
        <span className="one-line small text-3" dir="auto">
          {facts && `${facts} · `}
          {text}
        </span>
      </button>
      <ActionIcon aria-label={`Change ${name}`} onClick={() => change.mutate()}>
        <Pencil size={15} strokeWidth={1.75} aria-hidden="true" />
      </ActionIcon>
      <ActionIcon aria-label={`Delete ${name}`} onClick={() => setIsConfirming(true)}>
        <Trash2 size={15} strokeWidth={1.75} aria-hidden="true" />
      </ActionIcon>
    </li>
  );
};
