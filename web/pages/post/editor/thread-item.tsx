import { ActionIcon, Menu } from '@mantine/core';
import { ArrowDown, ArrowUp, Ellipsis, Trash2 } from 'lucide-react';
import { useState } from 'react';
import { showToast } from '#web/parts/toasts.tsx';
import { Counters } from './counters.tsx';
import { changeItem, changeSide, type Item, moveItem, removeItem } from './draft.ts';
import { GrowingText } from './growing-text.tsx';
import { AddMedia, MediaStrip } from './media-strip.tsx';
import styles from './thread-item.module.css';
import { useEditor } from './use-editor.ts';
import { fields } from './use-reveal.ts';
import type { Uploads } from './use-uploads.ts';

export const ThreadItem = ({ item, index, uploads }: { item: Item; index: number; uploads: Uploads }) => {
  const { side, editSide, edit, version, readOnly } = useEditor();
  const [over, setOver] = useState(false);
  const isThread = side.items.length > 1;
  const own = uploads.of(item.key);
  const hasStrip = item.media.length > 0 || own.length > 0;
  const label = isThread ? `Text of item ${index + 1}` : 'Text';
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
  const bar = !readOnly && (
    <ItemActions
      index={index}
      count={side.items.length}
      onMove={move}
      onRemove={remove}
      add={!hasStrip && <AddMedia itemKey={item.key} index={index} uploads={uploads} icon />}
    />
  );
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: Add media does the same for the keyboard
    <div
      className={`card ${styles.item}`}
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
        readOnly={readOnly}
        placeholder={index === 0 ? 'What do you want to say?' : 'And then?'}
        onChange={write}
        onFiles={take}
        alone={!isThread && !hasStrip}
        autoFocus={index === 0 && item.body === '' && !hasStrip && !isThread}
      />
      {hasStrip && <MediaStrip item={item} index={index} uploads={uploads} />}
      {index === 0 && hasStrip ? (
        <div className={styles.foot}>
          <Counters index={index} />
          {isThread && !readOnly && <ItemMenu onMove={move} onRemove={remove} />}
        </div>
      ) : index === 0 ? (
        <>
          {bar}
          <div className={styles.foot}>
            <Counters index={index} />
          </div>
        </>
      ) : (
        <div className={styles.line}>
          {bar}
          <Counters index={index} brief />
        </div>
      )}
    </div>
  );
};

const ItemActions = ({
  index,
  count,
  onMove,
  onRemove,
  add,
}: {
  index: number;
  count: number;
  onMove: (by: number) => void;
  onRemove: () => void;
  add: React.ReactNode;
}) => (
  <div className={styles.actions}>
    {add}
    {count > 1 && (
      <>
        <ActionIcon aria-label="Move up" disabled={index === 0} onClick={() => onMove(-1)}>
          <ArrowUp size={17} strokeWidth={1.75} aria-hidden="true" />
        </ActionIcon>
        <ActionIcon aria-label="Move down" disabled={index === count - 1} onClick={() => onMove(1)}>
          <ArrowDown size={17} strokeWidth={1.75} aria-hidden="true" />
        </ActionIcon>
        <ActionIcon aria-label={`Remove item ${index + 1}`} onClick={onRemove}>
          <Trash2 size={17} strokeWidth={1.75} aria-hidden="true" />
        </ActionIcon>
      </>
    )}
  </div>
);

/** In the first item with media the counters take the place of the move buttons. */
const ItemMenu = ({ onMove, onRemove }: { onMove: (by: number) => void; onRemove: () => void }) => (
  <Menu>
    <Menu.Target>
      <ActionIcon aria-label="Item 1" className={styles.menu}>
        <Ellipsis size={17} aria-hidden="true" />
      </ActionIcon>
    </Menu.Target>
    <Menu.Dropdown>
      <Menu.Item leftSection={<ArrowDown size={15} aria-hidden="true" />} onClick={() => onMove(1)}>
        Move down
      </Menu.Item>
      <Menu.Item leftSection={<Trash2 size={15} aria-hidden="true" />} onClick={onRemove}>
        Remove item 1
      </Menu.Item>
    </Menu.Dropdown>
  </Menu>
);
