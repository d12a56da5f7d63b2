import { html } from '#server/pages/html';
import { cardPage } from '#server/pages/layout';

/** For a request that is none of ours to ask about. */
export const troublePage = (what: string) =>
  cardPage({
    title: 'This did not work',
    body: html`<p>The app that sent you here made a request that Posthorn cannot answer. Go back to it and try again.</p>
<p class="faint">${what}</p>`,
  });
