import { isUrl } from '#contracts/is-url';
import type { NetworkPost } from '#server/networks/network';
import { type Finding, firstItem, isVideo, option } from '#server/networks/shared/post';

export const slidesKey = 'pinterest.slides';
const maxTitle = 100;
const maxLink = 2_048;

interface Slide {
  readonly title?: string;
  readonly link?: string;
}

/** One line for each image: a title, a link, or both with | between them. */
export const slidesIn = (post: NetworkPost): Slide[] =>
  option(post, slidesKey) === ''
    ? []
    : option(post, slidesKey)
        .split('\n')
        .map((line) => {
          const [, title = '', link = ''] = /^(.*?)\s*(?:(?:^|\|)\s*(https?:\/\/\S+))?\s*$/.exec(line) ?? [];
          return { ...(title.trim() && { title: title.trim() }), ...(link && { link }) };
        });

export const slideProblems = (post: NetworkPost): Finding[] => {
  const slides = slidesIn(post);
  const { media } = firstItem(post);
  const path = `options.${slidesKey}`;
  if (slides.length === 0 || media.length === 0) return [];
  return [
    (media.length < 2 || media.some(isVideo)) && {
      path,
      code: 'OptionNotAllowed',
      message: 'Only the images of a carousel have titles and links of their own: add images, or use Title and Link.',
    },
    slides.length > media.length && {
      path,
      code: 'OptionTooLong',
      message: 'There are more lines than images: remove some.',
      limit: media.length,
      actual: slides.length,
    },
    ...slides.map(
      ({ title = '', link = '' }, index): Finding =>
        ([...title].length > maxTitle || link.length > maxLink || !isUrlOrNone(link)) && {
          path,
          code: 'OptionValue',
          message: `Line ${index + 1} has a title of more than ${maxTitle} characters, or a link that is too long or incomplete: shorten it.`,
        },
    ),
  ];
};

const isUrlOrNone = (link: string) => link === '' || isUrl(link);
