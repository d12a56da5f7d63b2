import { type RequestHandler, urlencoded } from 'express';
import type { SandboxKit } from '#server/networks/sandbox';
import { html } from '#server/pages/html';
import { cardPage, sendPage } from '#server/pages/layout';

export const usableHandle = /^[a-z0-9][a-z0-9._-]{0,40}$/i;

/** The page where somebody lets Posthorn act for them on a sandbox network. */
export const createConsent =
  ({ people, grants }: Pick<SandboxKit, 'people' | 'grants'>): SandboxKit['consent'] =>
  ({ check, scopesOf, codeLifeMs = 10 * 60_000, suffix = '', states = {}, refusalOf }) => {
    const answer: RequestHandler = async (req, res) => {
      const query = texts(req.query);
      const wrong = check(query);
      if (wrong !== undefined) return sendPage(res, refusalPage(wrong), 400);
      const scopes = scopesOf(query);
      if (req.method !== 'POST') return sendPage(res, consentPage({ scopes, states }));
      const form = texts(req.body as Record<string, unknown>);
      const back = new URL(query.redirect_uri ?? '');
      if (query.state !== undefined) back.searchParams.set('state', query.state);
      if (form.answer === 'deny') {
        back.searchParams.set('error', 'access_denied');
        return res.redirect(303, back.href);
      }
      const handle = (form.handle ?? '').trim().replace(/^@/, '').toLowerCase();
      if (!usableHandle.test(handle))
        return sendPage(res, consentPage({ scopes, states, problem: 'Use letters, digits, dots and dashes.' }), 400);
      const refusal = refusalOf?.(handle);
      if (refusal !== undefined) {
        back.searchParams.set('error', refusal[0]);
        back.searchParams.set('error_description', refusal[1]);
        return res.redirect(303, back.href);
      }
      const granted = scopes.filter((scope) => form[`scope ${scope}`] === 'on');
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
  scopes,
  states,
  problem = '',
}: {
  scopes: readonly string[];
  states: Readonly<Record<string, string>>;
  problem?: string;
}) =>
  cardPage({
    title: 'A sandbox network',
    body: html`<p class="note">This is not the real network: nothing here is public.</p>
<p>Choose who you are, and what Posthorn may do for you.</p>
<form method="post">
<label>Handle <input name="handle" value="anna" required autocapitalize="none" autocomplete="off" spellcheck="false"></label>
${problem !== '' && html`<p class="error" role="alert">${problem}</p>`}
${
  Object.keys(states).length > 0 &&
  html`<details><summary>Handles that meet trouble</summary><dl>
${Object.entries(states).map(([word, behaviour]) => html`<dt><code>${word}</code></dt><dd>${behaviour}</dd>`)}
</dl><p class="note">A handle that contains the word behaves so.</p></details>`
}
<fieldset><legend>Permissions</legend>
${scopes.map((scope) => html`<label class="check"><input type="checkbox" name="scope ${scope}" checked> <code>${scope}</code></label>`)}
</fieldset>
<div class="actions"><button name="answer" value="allow">Allow</button><button class="quiet" name="answer" value="deny">Deny</button></div>
</form>`,
  });

const refusalPage = (wrong: string) =>
  cardPage({
    title: 'A sandbox network',
    body: html`<p class="error" role="alert">The request is not as the network wants it: ${wrong}</p>`,
  });
