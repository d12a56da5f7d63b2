import { ActionIcon, Button, Tooltip } from '@mantine/core';
import { ArrowDown, ArrowUp, Rows3, Trash2 } from 'lucide-react';
import { useMemo, useState } from 'react';
import { showToast } from '#web/parts/toasts.tsx';
import { Counters } from './counters.tsx';
import { changeItem, changeSide, type Item, moveItem, removeItem } from './draft.ts';
import { EmojiButton } from './emoji-button.tsx';
import { GrowingText } from './growing-text.tsx';
import { LinkButton } from './link-button.tsx';
import { AddMedia, MediaStrip } from './media-strip.tsx';
import { excessIn } from './split-thread.ts';
import styles from './thread-item.module.css';
import { useEditor } from './use-editor.ts';
import { fields } from './use-reveal.ts';
import { useSplit } from './use-split.ts';
import type { Uploads } from './use-uploads.ts';

/** `children`: tools of the whole thread, beside those of its last item. */
export const ThreadItem = ({
  item,
  index,
  uploads,
  children,
}: {
  item: Item;
  index: number;
  uploads: Uploads;
  children?: React.ReactNode;
}) => {
  const { side, editSide, edit, version, readOnly } = useEditor();
  const [over, setOver] = useState(false);
  const isThread = side.items.length > 1;
  const hasStrip = item.media.length > 0 || uploads.of(item.key).length > 0;
  const label = isThread ? `Text of item ${index + 1}` : 'Text';
  const split = useSplit(index, version);
  const excessFrom = useExcess(index);
  const write = (body: string) => editSide(changeItem(index, (one) => ({ ...one, body })));
  const move = (by: number) => {
    editSide(moveItem(index, by));
    requestAnimationFrame(() => document.getElementById(fields.body(index + by))?.focus());
  };
  const remove = () => {
    editSide(removeItem(index));
    requestAnimationFrame(() => document.getElementById(fields.body(Math.max(0, index - 1)))?.focus());
    if (item.body.trim() === '' && item.media.length === 0) return;
    const putBack = changeSide(version, (now) => ({
      ...now,
      items: [...now.items.slice(0, index), item, ...now.items.slice(index)],
    }));
    showToast({ text: `Item ${index + 1} removed`, action: { label: 'Undo', onClick: () => edit(putBack) } });
  };
  const take = (files: Iterable<File>) => uploads.add([...files], item.key);
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: Add media does the same for the keyboard
    <div
      className={styles.item}
      data-over={over || undefined}
      onDragOver={(event) => {
        if (readOnly || !event.dataTransfer.types.includes('Files')) return;
        event.preventDefault();
        setOver(true);
      }}
      onDragLeave={() => setOver(false)}
      onDrop={(event) => {
        setOver(false);
        if (readOnly || event.dataTransfer.files.length === 0) return;
        event.preventDefault();
        take(event.dataTransfer.files);
      }}
    >
      <GrowingText
        id={fields.body(index)}
        label={label}
        value={item.body}
        excessFrom={excessFrom}
        readOnly={readOnly}
        placeholder={index === 0 ? 'What do you want to say?' : 'And then?'}
        onChange={write}
        onFiles={take}
        alone={!isThread && !hasStrip}
        autoFocus={index === 0 && item.body === '' && !hasStrip && !isThread}
      />
      {hasStrip && <MediaStrip item={item} index={index} uploads={uploads} />}
      <div className={styles.bar}>
        {!readOnly && (
          <div className={styles.tools}>
            <AddMedia itemKey={item.key} index={index} uploads={uploads} icon />
            <EmojiButton field={fields.body(index)} />
            <LinkButton field={fields.body(index)} />
            {isThread && <ItemActions index={index} count={side.items.length} onMove={move} onRemove={remove} />}
            {children}
          </div>
        )}
        <Counters index={index} />
        {split && (
          <Button size="xs" leftSection={<Rows3 size={14} aria-hidden="true" />} onClick={split}>
            Split into a thread
          </Button>
        )}
      </div>
    </div>
  );
};

/** Only for an account's version: on the original, each network would mark a different place. */
const useExcess = (index: number): number | undefined => {
  const { save, chosen, version, limitsOf } = useEditor();
  const account = chosen.find(({ id }) => id === version);
  return useMemo(() => {
    const limits = account && limitsOf(account);
    return account && limits ? excessIn(save.draft, account, limits, index) : undefined;
  }, [save.draft, account, limitsOf, index]);
};

const ItemActions = ({
  index,
  count,
  onMove,
  onRemove,
}: {
  index: number;
  count: number;
  onMove: (by: number) => void;
  onRemove: () => void;
}) => (
  <>
    <Tooltip label="Move up">
      <ActionIcon aria-label="Move up" disabled={index === 0} onClick={() => onMove(-1)}>
        <ArrowUp size={17} strokeWidth={1.75} aria-hidden="true" />
      </ActionIcon>
    </Tooltip>
    <Tooltip label="Move down">
      <ActionIcon aria-label="Move down" disabled={index === count - 1} onClick={() => onMove(1)}>
        <ArrowDown size={17} strokeWidth={1.75} aria-hidden="true" />
      </ActionIcon>
    </Tooltip>
    <Tooltip label="Remove">
      <ActionIcon aria-label={`Remove item ${index + 1}`} onClick={onRemove}>
        <Trash2 size={17} strokeWidth={1.75} aria-hidden="true" />
      </ActionIcon>
    </Tooltip>
  </>
);
