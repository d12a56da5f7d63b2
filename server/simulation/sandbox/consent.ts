import { type RequestHandler, urlencoded } from 'express';
import { html } from '#server/base/pages/html';
import { cardPage, consentCardPage, sendPage } from '#server/base/pages/layout';
import type { Network, NetworkApp } from '#server/networks/network';
import type { SandboxKit } from '#server/networks/sandbox';

/** What the consent page shows about a sandbox network. */
export interface SandboxLook {
  readonly name: string;
  readonly badge: Pick<Network['badge'], 'code' | 'color'>;
  readonly icon?: string | undefined;
  readonly permissions: NetworkApp['permissions'];
}

export const lookOf = (networks: readonly Network[], key: string): SandboxLook => {
  const network = networks.find((one) => one.key === key);
  return network === undefined
    ? { name: key, badge: { code: key.slice(0, 2), color: '#474D5B' }, permissions: {} }
    : { name: network.name, badge: network.badge, icon: network.icon, permissions: network.app.permissions };
};

const usualHandle = 'anna';

export const usableHandle = /^[a-z0-9][a-z0-9._-]{0,40}$/i;

/** The page where somebody lets Posthorn act for them on a sandbox network. */
export const createConsent =
  ({ people, grants, look }: Pick<SandboxKit, 'people' | 'grants'> & { look: SandboxLook }): SandboxKit['consent'] =>
  ({ check, scopesOf, codeLifeMs = 10 * 60_000, suffix = '', states = {}, refusalOf }) => {
    const answer: RequestHandler = async (req, res) => {
      const query = texts(req.query);
      const wrong = check(query);
      if (wrong !== undefined) return sendPage(res, refusalPage(look, wrong), 400);
      const scopes = scopesOf(query);
      if (req.method !== 'POST') return sendPage(res, consentPage({ look, scopes, states }));
      const form = texts(req.body as Record<string, unknown>);
      const granted = scopes.filter((scope) => form[`scope ${scope}`] === 'on');
      const typed = (form.handle ?? '').trim();
      // Pressing Enter in the field must not grant access; only the button for it does.
      if (form.answer === 'read') return sendPage(res, consentPage({ look, scopes, granted, states, handle: typed }));
      const back = new URL(query.redirect_uri ?? '');
      if (query.state !== undefined) back.searchParams.set('state', query.state);
      if (form.answer === 'deny') {
        back.searchParams.set('error', 'access_denied');
        return res.redirect(303, back.href);
      }
      const handle = typed.replace(/^@/, '').toLowerCase();
      if (!usableHandle.test(handle)) {
        const problem = 'Use letters, digits, dots and dashes.';
        return sendPage(res, consentPage({ look, scopes, granted, states, handle: typed, problem }), 400);
      }
      const refusal = refusalOf?.(handle);
      if (refusal !== undefined) {
        back.searchParams.set('error', refusal[0]);
        back.searchParams.set('error_description', refusal[1]);
        return res.redirect(303, back.href);
      }
      const code = await grants.issue('code', {
        person: await people.signIn(handle),
        scopes: granted,
        lifeMs: codeLifeMs,
        data: query,
      });
      back.searchParams.set('code', code);
      res.redirect(303, back.href + suffix);
    };
    return (req, res, next) =>
      readForm(req, res, (error) => (error ? next(error) : Promise.resolve(answer(req, res, next)).catch(next)));
  };

const readForm = urlencoded({ extended: false, limit: '10kb' });

const texts = (values: Readonly<Record<string, unknown>> = {}): Record<string, string> =>
  Object.fromEntries(Object.entries(values).filter((entry): entry is [string, string] => typeof entry[1] === 'string'));

const consentPage = ({
  look: { name, badge, icon, permissions },
  scopes,
  granted = scopes,
  states,
  handle = usualHandle,
  problem = '',
}: {
  look: SandboxLook;
  scopes: readonly string[];
  granted?: readonly string[];
  states: Readonly<Record<string, string>>;
  handle?: string;
  problem?: string;
}) =>
  consentCardPage({
    title: `Let Posthorn post on ${name} as you?`,
    lead: 'You are choosing a pretend person. Any handle works.',
    band: `Sandbox. Not the real ${name}, nothing here is public.`,
    badge,
    icon,
    body: html`<form method="post">
<button class="hidden" name="answer" value="read" tabindex="-1" aria-hidden="true">Read</button>
<label>Handle <span class="at"><input name="handle" value="${handle.replace(/^@/, '')}" required autocapitalize="none" autocomplete="off" spellcheck="false"></span></label>
${problem !== '' && html`<p class="error" role="alert">${problem}</p>`}
${
  Object.keys(states).length > 0 &&
  html`<details><summary>Handles that meet trouble</summary><dl>
${Object.entries(states).map(([word, behaviour]) => html`<dt><code>${word}</code></dt><dd>${behaviour}</dd>`)}
</dl><p class="note">A handle that contains the word behaves so.</p></details>`
}
<fieldset><legend>Posthorn may</legend>
${scopes.map((scope) => permissionRow(scope, permissions[scope], granted.includes(scope)))}
</fieldset>
<div class="actions"><button class="main" name="answer" value="allow">Connect <span class="handle">@${handle.replace(/^@/, '')}</span></button><button class="quiet" name="answer" value="deny" formnovalidate>Cancel</button></div>
</form>`,
  });

/** The description comes first. The scope is for readers of the network's documentation. */
const permissionRow = (scope: string, words: readonly [string, string] | undefined, isGranted: boolean) =>
  html`<label class="permission"><input type="checkbox" name="scope ${scope}" ${isGranted && html`checked`}><span class="words"><span>${words?.[0] ?? scope}</span>${words && html`<span class="why">${words[1]}</span>`}</span>${words && html`<code title="${scope}">${scope.replace(/^https:.*\//, '')}</code>`}</label>`;

const refusalPage = ({ name }: SandboxLook, wrong: string) =>
  cardPage({
    title: `The sandbox of ${name} refuses the request`,
    body: html`<p class="error" role="alert">The request is not as the network wants it: ${wrong}</p>`,
  });
