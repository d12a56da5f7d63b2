import { createPortal } from 'react-dom';
import { fields } from './use-reveal.ts';

/** A second skip link after the shell's, because the header has many tab stops before the text. */
export const SkipToText = () => {
  const links = document.getElementById('skip-links');
  if (links === null) return null;
  return createPortal(
    <a
      href={`#${fields.body(0)}`}
      onClick={(event) => {
        event.preventDefault();
        document.getElementById(fields.body(0))?.focus();
      }}
    >
      To the text
    </a>,
    links,
  );
};
