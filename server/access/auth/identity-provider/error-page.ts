import { html } from '#server/base/pages/html';
import { cardPage } from '#server/base/pages/layout';

/**
 * For a request that cannot be answered. `back` returns the error to the app, if the person chooses to follow the link.
 */
export const errorPage = (what: string, back?: URL) =>
  cardPage({
    title: 'This did not work',
    body: html`<p>The app that sent you here made a request that Posthorn cannot answer. Go back to it and try again.</p>
<p class="faint">${what}</p>
${
  back &&
  html`<p><a href="${back.href}" rel="noreferrer">Go back to ${back.host}</a></p>
<p class="faint">Posthorn cannot tell whether you trust this app. Open the link only if you know that address.</p>`
}`,
  });
