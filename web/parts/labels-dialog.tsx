import { ActionIcon, Button, Checkbox, Menu, Modal, TextInput } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Check, Pencil, Tag, Trash2 } from 'lucide-react';
import { useState } from 'react';
import type { Label } from '#generated/app-client';
import { app } from '#web/base/api.ts';
import { describeFailure, fieldFault } from '#web/base/faults.ts';
import { keys, queries } from '#web/base/queries.ts';
import { EmptyState } from './empty-state.tsx';
import { LabelDot } from './label-chip.tsx';
import styles from './labels-dialog.module.css';
import { Loaded } from './loaded.tsx';
import { count } from './number.ts';
import { showFault } from './toasts.tsx';
import { useFormDraft } from './use-form-draft.ts';
import { useLabels } from './use-labels.ts';

type Color = Label['color'];
const colors: readonly Color[] = ['grey', 'blue', 'green', 'orange', 'red', 'plum'];
const maxNameLength = 40;

/** How many of the posts have a label. */
type Presence = 'all' | 'some' | 'none';

export default function LabelsDialog({
  title,
  having,
  onChoose,
  onClose,
}: {
  title: string;
  having: (id: string) => Presence;
  onChoose: (id: string, on: boolean) => void;
  onClose: () => void;
}) {
  const { list } = useLabels();
  const [deleting, setDeleting] = useState<string>();
  return (
    <Modal opened onClose={onClose} title={title} size={420}>
      <Loaded query={useQuery(queries.labels)} title="The labels could not be loaded" rows={3} height={40}>
        {({ labels }) =>
          labels.length === 0 && (
            <EmptyState icon={Tag} title="No labels yet" level={3}>
              Sort posts by what they are about. Networks never see labels.
            </EmptyState>
          )
        }
      </Loaded>
      <ul className={styles.list} aria-label="Labels">
        {list.map((label) => (
          <LabelRow
            key={label.id}
            label={label}
            having={having(label.id)}
            onChoose={(on) => onChoose(label.id, on)}
            isDeleting={deleting === label.id}
            onDeleting={(on) => setDeleting(on ? label.id : undefined)}
          />
        ))}
      </ul>
      <NewLabel onMade={(id) => onChoose(id, true)} next={colors[(list.length + 1) % colors.length] ?? 'blue'} />
      <div className={styles.buttons}>
        <Button variant="ink" onClick={onClose}>
          Done
        </Button>
      </div>
    </Modal>
  );
}

const LabelRow = ({
  label,
  having,
  onChoose,
  isDeleting,
  onDeleting,
}: {
  label: Label;
  having: Presence;
  onChoose: (on: boolean) => void;
  isDeleting: boolean;
  onDeleting: (on: boolean) => void;
}) => {
  const client = useQueryClient();
  const [isEditing, setEditing] = useFormDraft(`change of ${label.id}`, false);
  // Holds only the fields changed here, because somebody else may change the others at the same time.
  const [newName, setNewName] = useFormDraft<string | undefined>(`name of ${label.id}`, undefined);
  const [newColor, setNewColor] = useFormDraft<Color | undefined>(`color of ${label.id}`, undefined);
  const close = () => {
    setEditing(false);
    setNewName(undefined);
    setNewColor(undefined);
  };
  const refetch = () => client.invalidateQueries({ queryKey: keys.labels });
  const change = useMutation({
    mutationFn: (change: { name?: string; color?: Color }) => app.changeLabel({ id: label.id, ...change }),
    onSuccess: async () => {
      await refetch();
      close();
    },
  });
  const remove = useMutation({
    mutationFn: () => app.deleteLabel({ id: label.id }),
    onError: showFault,
    onSettled: async () => {
      await refetch();
      await client.invalidateQueries({ queryKey: ['posts'] });
    },
  });
  const save = () => {
    const name = newName?.trim() || label.name;
    const color = newColor ?? label.color;
    const input = { ...(name !== label.name && { name }), ...(color !== label.color && { color }) };
    if (Object.keys(input).length === 0) close();
    else change.mutate(input);
  };
  if (isEditing) {
    return (
      <li className={styles.row}>
        <ColorMenu color={newColor ?? label.color} name={label.name} onChange={setNewColor} />
        <form
          className={styles.edit}
          onSubmit={(event) => {
            event.preventDefault();
            save();
          }}
        >
          <TextInput
            aria-label={`New name for ${label.name}`}
            value={newName ?? label.name}
            maxLength={maxNameLength}
            autoFocus
            error={change.error && (fieldFault(change.error, 'name', 'The name') ?? describeFailure(change.error))}
            onChange={({ currentTarget }) => setNewName(currentTarget.value)}
            // Escape cancels the edit but does not close the dialog.
            data-mantine-stop-propagation="true"
            onKeyDown={({ key }) => {
              if (key === 'Escape') close();
            }}
          />
        </form>
        <Button size="xs" loading={change.isPending} onClick={save}>
          Save
        </Button>
      </li>
    );
  }
  if (isDeleting) {
    return (
      <li className={styles.row}>
        <span className="small grow">
          Delete “{label.name}”?{' '}
          {label.posts > 0 ? `${count(label.posts, 'post')} ${label.posts === 1 ? 'loses' : 'lose'} it.` : ''}
        </span>
        <Button size="xs" variant="quiet" onClick={() => onDeleting(false)} autoFocus>
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
      {/* biome-ignore lint/a11y/noLabelWithoutControl: the checkbox is inside */}
      <label className={styles.pick}>
        <Checkbox
          checked={having === 'all'}
          indeterminate={having === 'some'}
          onChange={() => onChoose(having !== 'all')}
        />
        <LabelDot color={label.color} />
        <span className="one-line grow" dir="auto">
          {label.name}
        </span>
      </label>
      <span className="caption text-3 number">{label.posts > 0 && label.posts}</span>
      <ActionIcon aria-label={`Change ${label.name}`} onClick={() => setEditing(true)}>
        <Pencil size={15} strokeWidth={1.75} aria-hidden="true" />
      </ActionIcon>
      <ActionIcon aria-label={`Delete ${label.name}`} onClick={() => onDeleting(true)}>
        <Trash2 size={15} strokeWidth={1.75} aria-hidden="true" />
      </ActionIcon>
    </li>
  );
};

const NewLabel = ({ onMade, next }: { onMade: (id: string) => void; next: Color }) => {
  const client = useQueryClient();
  const [name, setName] = useFormDraft('name of the new label', '');
  const [chosen, setChosen] = useFormDraft<Color | undefined>('color of the new label', undefined);
  const color = chosen ?? next;
  const { mutate, error, isPending, reset } = useMutation({
    mutationFn: () => app.addLabel({ name: name.trim(), color }),
    onSuccess: async ({ id }) => {
      setName('');
      setChosen(undefined);
      onMade(id);
      await client.invalidateQueries({ queryKey: keys.labels });
    },
  });
  return (
    <form
      className={styles.form}
      onSubmit={(event) => {
        event.preventDefault();
        if (name.trim() !== '') mutate();
      }}
    >
      <ColorMenu color={color} name="the new label" onChange={setChosen} />
      <TextInput
        className="grow"
        aria-label="New label"
        placeholder="New label"
        value={name}
        maxLength={maxNameLength}
        data-autofocus
        error={error && (fieldFault(error, 'name', 'The name') ?? describeFailure(error))}
        onChange={({ currentTarget }) => {
          setName(currentTarget.value);
          reset();
        }}
      />
      <Button type="submit" loading={isPending} aria-disabled={name.trim() === '' || undefined}>
        Add
      </Button>
    </form>
  );
};

const ColorMenu = ({ color, name, onChange }: { color: Color; name: string; onChange: (color: Color) => void }) => (
  <Menu position="bottom-start" width={150} withinPortal>
    <Menu.Target>
      <ActionIcon variant="default" size={34} aria-label={`Color of ${name}: ${color}`}>
        <LabelDot color={color} />
      </ActionIcon>
    </Menu.Target>
    <Menu.Dropdown>
      {colors.map((one) => (
        <Menu.Item
          key={one}
          leftSection={<LabelDot color={one} />}
          rightSection={one === color && <Check size={14} aria-label="chosen" />}
          onClick={() => onChange(one)}
        >
          {one[0]?.toUpperCase()}
          {one.slice(1)}
        </Menu.Item>
      ))}
    </Menu.Dropdown>
  </Menu>
);
