import { TextInput } from '@mantine/core';
import keywords from 'emojilib';
import { Search } from 'lucide-react';
import { useEffect, useId, useMemo, useRef, useState } from 'react';
import styles from './emoji-picker.module.css';
import { type Emoji, groupEmoji, searchEmoji } from './emoji-search.ts';

const groups = groupEmoji(keywords);
const byCharacter = new Map(groups.flatMap(({ emoji }) => emoji).map((emoji) => [emoji.character, emoji]));

const columns = 8;
const mostFound = 80;
const recentKey = 'posthorn-emoji';
const mostRecent = 16;

const readRecent = (): Emoji[] =>
  (localStorage.getItem(recentKey) ?? '').split(' ').flatMap((character) => byCharacter.get(character) ?? []);

const rememberRecent = (character: string) => {
  const others = readRecent().flatMap((emoji) => (emoji.character === character ? [] : [emoji.character]));
  localStorage.setItem(recentKey, [character, ...others].slice(0, mostRecent).join(' '));
};

/** The search field keeps the focus; arrow keys choose, Enter inserts. */
export default function EmojiPicker({ onChoose }: { onChoose: (emoji: string) => void }) {
  const id = useId();
  const list = useRef<HTMLDivElement>(null);
  const search = useRef<HTMLInputElement>(null);
  // The picker loads after the popover has set its initial focus, so focus the search field here.
  useEffect(() => search.current?.focus(), []);
  const [query, setQuery] = useState('');
  const [recent] = useState(readRecent);
  const [group, setGroup] = useState(recent.length > 0 ? 'Recent' : (groups[0]?.name ?? ''));
  const [active, setActive] = useState(0);
  const sections = useMemo(
    () => [...(recent.length > 0 ? [{ name: 'Recent', emoji: recent }] : []), ...groups],
    [recent],
  );
  const isSearching = query.trim() !== '';
  const shown = useMemo(
    () =>
      isSearching ? searchEmoji(groups, query, mostFound) : (sections.find(({ name }) => name === group)?.emoji ?? []),
    [isSearching, query, sections, group],
  );
  const choose = (emoji: Emoji | undefined) => {
    if (emoji === undefined) return;
    rememberRecent(emoji.character);
    onChoose(emoji.character);
  };
  const moveTo = (index: number) => {
    const at = Math.max(0, Math.min(shown.length - 1, index));
    setActive(at);
    list.current?.children[at]?.scrollIntoView({ block: 'nearest' });
  };
  const press = (event: React.KeyboardEvent) => {
    const by = { ArrowRight: 1, ArrowLeft: -1, ArrowDown: columns, ArrowUp: -columns }[event.key];
    if (by !== undefined) moveTo(active + by);
    else if (event.key === 'Enter') choose(shown[active]);
    else return;
    event.preventDefault();
  };
  return (
    <div className={styles.picker}>
      <TextInput
        ref={search}
        role="combobox"
        aria-label="Search emoji"
        aria-expanded="true"
        aria-controls={`${id}-list`}
        aria-activedescendant={shown[active] ? `${id}-${active}` : undefined}
        placeholder="Search"
        leftSection={<Search size={15} aria-hidden="true" />}
        value={query}
        onChange={(event) => {
          setQuery(event.currentTarget.value);
          setActive(0);
        }}
        onKeyDown={press}
      />
      <div className={styles.groups}>
        {sections.map(({ name, emoji: [first] }) => (
          <button
            key={name}
            type="button"
            className={styles.group}
            aria-label={name}
            title={name}
            aria-pressed={!isSearching && name === group}
            onClick={() => {
              setQuery('');
              setGroup(name);
              setActive(0);
            }}
          >
            {name === 'Recent' ? '🕘' : first?.character}
          </button>
        ))}
      </div>
      <div
        ref={list}
        id={`${id}-list`}
        className={styles.list}
        role="listbox"
        aria-label={isSearching ? 'Matches' : group}
      >
        {shown.map((emoji, index) => (
          // biome-ignore lint/a11y/useFocusableInteractive: the search field keeps the focus and names the active option
          // biome-ignore lint/a11y/useKeyWithClickEvents: the search field handles the keys
          <span
            key={emoji.character}
            id={`${id}-${index}`}
            role="option"
            className={styles.emoji}
            aria-label={emoji.name}
            aria-selected={index === active}
            title={emoji.name}
            onMouseDown={(event) => event.preventDefault()}
            onClick={() => choose(emoji)}
          >
            {emoji.character}
          </span>
        ))}
      </div>
      <p className="small one-line text-2" role="status">
        {shown[active]?.name ?? 'No emoji with this name. Try another word.'}
      </p>
    </div>
  );
}
