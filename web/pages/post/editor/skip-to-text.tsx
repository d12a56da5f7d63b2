import { createPortal } from 'react-dom';
import { fields } from './use-reveal.ts';

/** Beside the skip link of the shell, because the header has many stops before the text. */
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
