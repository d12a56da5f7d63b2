import { html } from './html.ts';
import { cardPage } from './layout.ts';

const field = (label: string, name: string, type: string, autocomplete: string, value = '') =>
  html`<label>${label}<input name="${name}" type="${type}" autocomplete="${autocomplete}" value="${value}" required></label>`;

const problem = html`<p class="error" role="alert"></p>`;

/** With an outside identity provider there is nothing to type here. */
export const signInPage = ({ next, outside }: { next: string; outside: boolean }) =>
  cardPage({
    title: 'Sign in',
    body: outside
      ? html`<p>Your organisation signs you in.</p>
<div class="actions"><a class="button" href="/sign-in/begin?next=${encodeURIComponent(next)}">Continue</a></div>`
      : html`<form data-api="POST /api/auth/sign-in" data-next="${next}">
${field('E-mail address', 'email', 'email', 'username')}
${field('Password', 'password', 'password', 'current-password')}
${problem}
<button>Sign in</button>
</form>
<p class="faint">New here? Ask an admin of the workspace for an invitation.</p>`,
  });

/** `code`: in production the first owner shows that the server is theirs. */
export const signUpPage = ({ code, outside }: { code: boolean; outside: boolean }) => {
  const codeField =
    code &&
    html`<p class="faint">Posthorn printed a code when it started. Whoever can read it may become the owner.</p>
${field('Code', 'code', 'text', 'one-time-code')}`;
  return cardPage({
    title: 'Welcome to Posthorn',
    body: outside
      ? html`<p>Nobody is here yet. You become the owner, and your organisation signs you in.</p>
<form action="/sign-in/begin" method="get">
${codeField}
<button>Continue</button>
</form>`
      : html`<p>Nobody is here yet. You become the owner.</p>
<form data-api="POST /api/auth/sign-up" data-next="/">
${codeField}
${field('E-mail address', 'email', 'email', 'username')}
${field('Password, at least 8 characters', 'password', 'password', 'new-password')}
${field('Name of the workspace', 'workspace', 'text', 'off', 'My workspace')}
${problem}
<button>Sign up</button>
</form>`,
  });
};

export const invitationPage = ({
  token,
  email,
  role,
  workspace,
  isTheirs,
  outside,
}: {
  token: string;
  email: string;
  role: string;
  workspace: string;
  /** The invited person is the one who is signed in. */
  isTheirs: boolean;
  outside: boolean;
}) =>
  cardPage({
    title: `Join ${workspace}`,
    body: html`<p>${email} is invited to ${workspace} as ${role}.</p>
${
  outside && !isTheirs
    ? html`<p>Your organisation signs you in first.</p>
<div class="actions"><a class="button" href="/sign-in/begin?next=${encodeURIComponent(`/invitations/${token}`)}">Continue</a></div>`
    : html`<form data-api="POST /api/auth/invitations/accept" data-next="/">
<input type="hidden" name="token" value="${token}">
${
  !isTheirs &&
  html`<input hidden readonly autocomplete="username" value="${email}">
${field('Password', 'password', 'password', 'current-password')}
<p class="faint">The one you have here, or a new one of at least 8 characters if you have none yet.</p>`
}
${problem}
<button>Join</button>
</form>`
}`,
  });

export const messagePage = (title: string, text: string) =>
  cardPage({ title, body: html`<p>${text}</p><p><a href="/">To the start page</a></p>` });
