import { graphemes, replaceWebLinks } from '#server/networks/shared/text';

const urlPlaceholder = 'x'.repeat(23);
const remoteMention = /(?<![/\w])@(\w+(?:[.-]+\w+)*)@[a-z0-9.-]+[a-z0-9]/gi;

/** As servers count: a link is as long as any other, of a mention only the name counts, and the warning counts too. */
export const lengthOf = (text: string, warning: string): number =>
  graphemes(warning + replaceWebLinks(text, urlPlaceholder).replace(remoteMention, '@$1')).length;
