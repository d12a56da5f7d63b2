const shownCharacters = 70;

/** Text of others inside a sentence: one line, short, and without marks that would become a link or bold. */
export const quoted = (text: string, most = shownCharacters) => {
  const characters = [
    ...text
      .slice(0, 8 * most)
      .replaceAll(/\s+/g, ' ')
      .trim(),
  ];
  const short =
    characters.length <= most
      ? characters.join('')
      : `${characters
          .slice(0, most - 1)
          .join('')
          .trim()}…`;
  return short === '' ? 'a post without text' : `“${plain(short)}”`;
};

/** A backslash before what is a mark in an answer. */
export const plain = (text: string) => text.replaceAll(/[\\`*_[\]()<>]/g, (mark) => `\\${mark}`);

export const number = (value: number) => value.toLocaleString('en-GB', { maximumFractionDigits: 1 });

export const counted = (count: number, one: string, many = `${one}s`) => `${number(count)} ${count === 1 ? one : many}`;

/** `X, Bluesky and Mastodon` */
export const listed = (names: readonly string[]) =>
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
