import { titleOf } from './heading.ts';

export { headingOf, quoteHeading, titleOf } from './heading.ts';

export const PostTitle = ({ text }: { text: string }) => {
  const title = titleOf(text);
  return title === '' ? <em className="text-3">Empty draft</em> : title;
};
