import { scopes } from '#contracts/scopes';
import { html } from '#server/pages/html';
import { cardPage } from '#server/pages/layout';
import type { SignedIn } from '#server/signed-in';
import { isLoopback } from './client-documents.ts';

/** What can be given or kept back. `openid` and `offline_access` are no question: they say nothing to a person. */
const questions: Record<string, string> = { ...scopes, email: 'See your e-mail address' };

export const isQuestion = (scope: string) => Object.hasOwn(questions, scope);

export interface Consent {
  readonly clientId: string;
  readonly clientName: string;
  readonly redirectUri: string;
  /** Those of `questions` that the client asks for. */
  readonly asked: readonly string[];
  readonly who: SignedIn;
}

export const consentPage = ({ clientId, clientName, redirectUri, asked, who }: Consent) => {
  const name = plainName(clientName);
  return cardPage({
    title: `Let ${name} use Posthorn?`,
    body: html`<dl>
<dt>App</dt><dd>${name}</dd>
<dt>Published at</dt><dd>${URL.canParse(clientId) ? new URL(clientId).host : clientId}</dd>
<dt>Sends you to</dt><dd>${new URL(redirectUri).host}</dd>
<dt>Signed in as</dt><dd>${who.email}</dd>
<dt>Workspace</dt><dd>${who.workspace?.name ?? 'none yet'} <span class="faint">(always the one you opened last)</span></dd>
</dl>
${
  isLoopback(redirectUri) &&
  html`<p class="note"><strong>This app is on your own computer.</strong>
Any program there could use its name. Approve only if you have just started it yourself.</p>`
}
<form method="post">
${
  asked.length > 0 &&
  html`<fieldset>
<legend>It may</legend>
${asked.map((scope) => html`<label class="check"><input type="checkbox" name="scope" value="${scope}" checked> ${questions[scope]}</label>\n`)}</fieldset>`
}
<div class="actions">
<button name="decision" value="approve">Approve</button>
<button name="decision" value="cancel" class="quiet">Cancel</button>
</div>
</form>`,
  });
};

export const troublePage = (what: string) =>
  cardPage({
    title: 'This did not work',
    body: html`<p>The app that sent you here made a request that Posthorn cannot answer. Go back to it and try again.</p>
<p class="faint">${what}</p>`,
  });

/** A name cannot turn the text around it or hide a part of itself. */
export const plainName = (name: string) => name.replace(/[\p{Cc}\p{Cf}\p{Cs}\p{Co}]/gu, '').slice(0, 80);
