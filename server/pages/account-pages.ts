import type { Account } from '#contracts/accounts';
import type { Provider } from '#contracts/providers';
import { admins } from '#contracts/scopes';
import type { Choice } from '#server/accounts/connecting';
import type { Connect, Network } from '#server/networks/network';
import { avatar, confirmed, type Here, isOneOf, page, problem, shownHandle } from './frame.ts';
import { html } from './html.ts';

const place = '/accounts';

const sandboxBadge = html` <span class="state">sandbox</span>`;

/** Social accounts: those that are connected, and the ways to connect more. */
export const accountsPage = (
  here: Here,
  {
    accounts,
    providers,
    connected,
  }: {
    accounts: readonly Account[];
    providers: readonly Provider[];
    /** The ids of those that were connected a moment ago. */
    connected: readonly string[];
  },
) => {
  const mayChange = isOneOf(here, admins);
  const fresh = accounts.filter(({ id }) => connected.includes(id));
  return page(
    here,
    place,
    'Social accounts',
    html`${fresh.length > 0 && html`<p class="note" role="status">Connected ${fresh.map((account) => `${shownHandle(account)} on ${account.provider}`).join(', ')}. <a href="/posts/new">Write a post</a></p>`}
${
  accounts.length === 0
    ? html`<p>No account is connected yet. ${mayChange ? 'Connect one below, and Posthorn can publish there.' : 'An owner or admin of the workspace connects them.'}</p>`
    : html`<ul class="plain">${accounts.map((account) => accountItem(account, mayChange))}</ul>`
}
<h2 id="connect">Connect an account</h2>
${
  mayChange
    ? html`${providers.some(({ sandbox }) => sandbox) && html`<p class="faint">A network marked sandbox is a stand-in on this server: nothing there is public, and any handle works.</p>`}
<ul class="plain tiles">${providers.map(({ network, provider, sandbox }) => html`<li><a class="tile" href="/connect/${network}">${provider}${sandbox && sandboxBadge}</a></li>`)}</ul>
${providers.length === 0 && html`<p>This server can connect to no network yet. Its operator registers Posthorn at a network and sets the credentials it gets there.</p>`}`
    : html`<p>Owners and admins connect accounts; you are ${here.caller.role} here. Ask one of them.</p>`
}`,
  );
};

const accountItem = (account: Account, mayChange: boolean) => {
  const { id, name, provider, network, status, statisticsMessage } = account;
  const shown = shownHandle(account);
  const isBroken = status === 'NeedsReconnect';
  return html`<li class="box row">
${avatar(account)}
<div class="grow">
<strong>${name}</strong> <span class="faint">${shown !== name && `${shown} · `}${provider}</span> <span class="state${isBroken && ' error'}">${isBroken ? 'needs reconnecting' : 'connected'}</span>
${isBroken && html`<p class="error">${provider} no longer accepts our access: nothing is published there. ${mayChange ? 'Reconnect it.' : 'Ask an owner or admin to reconnect it.'}</p>`}
${statisticsMessage !== undefined && html`<p class="faint">${statisticsMessage}</p>`}
${
  mayChange &&
  html`<div class="actions">
<a class="button${!isBroken && ' quiet'}" href="/connect/${network}" aria-label="Reconnect ${name} on ${provider}">Reconnect</a>
${confirmed(
  'Disconnect',
  `Posthorn forgets its access to ${shown}. Posts that are scheduled will fail there.`,
  html`<form data-api="POST /api/app/actions/accounts.delete" data-next="${place}">
<input type="hidden" name="id" value="${id}">
${problem}<button aria-label="Yes, disconnect ${name} on ${provider}">Yes, disconnect</button></form>`,
)}
</div>`
}
</div>
</li>`;
};

/** What a network asks for before it goes on. */
export const connectPage = (
  here: Here,
  { network, connect, sandbox }: { network: Network; connect: Exclude<Connect, { kind: 'OAuth' }>; sandbox: boolean },
) =>
  page(
    here,
    place,
    `Connect ${network.name}`,
    html`${sandbox && html`<p class="note">${network.name} is a sandbox here: a stand-in on this server where nothing is public. ${connect.kind === 'Form' ? 'Any handle and password work. With a server of your own you leave the sandbox.' : 'Leave the server empty to use it; with a server you connect to the real one.'}</p>`}
<form class="box narrow" data-api="POST /api/app/connections">
<input type="hidden" name="network" value="${network.key}">
${
  connect.kind === 'Form'
    ? connect.fields.map(
        ({ name, label, hint, secret, byDefault }) =>
          html`<label>${label}<span class="hint">${hint}</span><input name="values.${name}" type="${secret ? 'password' : 'text'}" autocomplete="off" autocapitalize="none" spellcheck="false"${byDefault === undefined ? html` required` : html` placeholder="${byDefault}"`}></label>`,
      )
    : html`<label>Server<span class="hint">The one your account is on, as in ${connect.usualServer}.</span><input name="values.server" placeholder="${connect.usualServer}" autocomplete="off" autocapitalize="none" spellcheck="false"${!sandbox && html` required`}></label>`
}
${problem}
<div class="actions"><button>Connect</button><a class="button quiet" href="${place}">Cancel</a></div>
</form>`,
  );

/** Of several pages or places, those that are meant. */
export const choosePage = (
  here: Here,
  { id, network, accounts }: { id: string; network: Network; accounts: readonly Choice[] },
) =>
  page(
    here,
    place,
    `Connect ${network.name}`,
    html`<form class="box narrow" data-api="POST /api/app/connections/${id}/choose">
<fieldset data-covers="^ids" data-least="Choose at least one."><legend>Which of these shall Posthorn publish to?</legend>
${accounts.map(
  (account) =>
    html`<label class="check row"><input type="checkbox" name="ids[]" value="${account.id}">${avatar(account)}<span class="grow">${account.name}${account.handle !== account.name && html` <span class="faint">${shownHandle(account)}</span>`}</span></label>`,
)}
</fieldset>
${problem}
<div class="actions"><button>Connect</button><a class="button quiet" href="${place}">Cancel</a></div>
</form>`,
  );
