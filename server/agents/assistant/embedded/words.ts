const defaultCharacters = 70;

/** Other people's text inside a sentence: a single short line, with Markdown escaped. */
export const quote = (text: string, maxCharacters = defaultCharacters) => {
  const characters = [
    ...text
      .slice(0, 8 * maxCharacters)
      .replaceAll(/\s+/g, ' ')
      .trim(),
  ];
  const short =
    characters.length <= maxCharacters
      ? characters.join('')
      : `${characters
          .slice(0, maxCharacters - 1)
          .join('')
          .trim()}…`;
  return short === '' ? 'a post without text' : `“${plain(short)}”`;
};

/** Escapes Markdown. */
export const plain = (text: string) => text.replaceAll(/[\\`*_[\]()<>]/g, (mark) => `\\${mark}`);

export const number = (value: number) => value.toLocaleString('en-GB', { maximumFractionDigits: 1 });

export const countOf = (count: number, one: string, many = `${one}s`) => `${number(count)} ${count === 1 ? one : many}`;

/** `X, Bluesky and Mastodon` */
export const joinNames = (names: readonly string[]) =>
  names.length < 2 ? (names[0] ?? '') : `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`;

/** `Thu 19 Nov, 08:30` */
export const moment = (at: string, timeZone: string) =>
  new Intl.DateTimeFormat('en-GB', {
    timeZone,
    weekday: 'short',
    day: 'numeric',
    month: 'short',
    hour: '2-digit',
    minute: '2-digit',
    hourCycle: 'h23',
  })
    .format(new Date(at))
    .replace(/^(\w+),? /, '$1 ')
    .replace(/ at /, ', ');

export const weekdays = ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday'];

export const hour = (value: number) => `${String(value).padStart(2, '0')}:00`;
