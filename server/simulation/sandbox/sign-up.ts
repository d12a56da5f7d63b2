import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import express from 'express';
import type { Caller } from '#server/base/context';
import { sha256 } from '#server/base/sha256';
import type { Connecting, Step } from '#server/connecting/accounts/connecting';
import type { Network, NetworkAccount, Registration, Site } from '#server/networks/network';
import type { Networks } from '#server/networks/registry';
import type { Sites } from '#server/networks/sites';
import type { Sandboxes } from './sandboxes.ts';

/** Grants consent on the page of a sandbox network as a browser would, except the permissions in `without`. */
export const sayYes = async (url: string, handle: string, without: readonly string[] = []): Promise<URL> => {
  const page = await (await fetch(url)).text();
  const names = [...page.matchAll(/name="(scope [^"]+)"/g)].map(([, name = '']) => name.replaceAll('&amp;', '&'));
  const granted = names.filter((name) => !without.includes(name.replace(/^scope /, '')));
  const form = new URLSearchParams([['handle', handle], ['answer', 'allow'], ...granted.map((name) => [name, 'on'])]);
  const answer = await fetch(url, { method: 'POST', body: form, redirect: 'manual' });
  const location = answer.headers.get('location');
  if (location === null) throw new Error(`The sandbox refused the consent: ${answer.status} ${await answer.text()}`);
  return new URL(location);
};

export interface SandboxAccess {
  /** The app that the tokens belong to. */
  readonly registration: Registration;
  /** All that the person can choose from. */
  readonly accounts: readonly NetworkAccount[];
}

/** What an app gets when somebody signs in at a sandbox network and consents. Needs no running service. */
export const signIn = async (
  sites: Pick<Sites, 'sandbox'>,
  network: Network,
  { handle, without = [], redirectUri }: { handle: string; without?: readonly string[]; redirectUri: string },
): Promise<SandboxAccess> => {
  const { connect } = network;
  const plain = sites.sandbox(network);
  if (connect.kind === 'Form') {
    const values = Object.fromEntries(connect.fields.map(({ name, byDefault = handle }) => [name, byDefault]));
    return { accounts: await connect.signIn(plain, values), registration: plain.registration };
  }
  const site: Site = { ...plain, ...(connect.kind === 'ServerOAuth' && { server: plain.host('server') }) };
  const registration =
    connect.kind === 'ServerOAuth'
      ? await connect.register(site, { redirectUri, website: new URL(redirectUri).origin })
      : site.registration;
  const registered: Site = { ...site, registration };
  const verifier = randomUUID() + randomUUID();
  const challenge = sha256(verifier, 'base64url');
  const state = randomUUID();
  const back = await sayYes(connect.authorizeUrl(registered, { redirectUri, state, challenge }), handle, without);
  if (back.searchParams.get('state') !== state) throw new Error('the state came back changed');
  const code = (back.searchParams.get('code') ?? '') + back.hash;
  return { accounts: await connect.exchange(registered, { code, redirectUri, verifier }), registration };
};

/** Connects an account of a sandbox network without a browser. `here` maps its page to an address we can reach. */
export const connectInSandbox = async (
  { connecting, networks }: { connecting: Connecting; networks: Networks },
  caller: Caller,
  network: string,
  { handle, without = [], here }: { handle: string; without?: readonly string[]; here: (url: string) => string },
): Promise<string> => {
  const { connect } = networks.get(network);
  const fields = connect.kind === 'Form' ? connect.fields : [];
  const values = Object.fromEntries(fields.map(({ name, byDefault = handle }) => [name, byDefault]));
  let step: Step = await connecting.begin(caller, network, values);
  if (step.is === 'go') {
    const { searchParams, hash } = await sayYes(here(step.url), handle, without);
    const code = (searchParams.get('code') ?? '') + hash;
    step = await connecting.finish(caller, network, { ...Object.fromEntries(searchParams), code });
  }
  if (step.is === 'choose') step = await connecting.choose(caller, step.connectionId, [step.accounts[0]?.id ?? '']);
  const [id] = step.is === 'connected' ? step.accountIds : [];
  if (id === undefined) throw new Error(`${network} was not connected`);
  return id;
};

/** Serves only the sandbox, on a port of its own, while `work` runs. */
export const withSandboxServer = async <T>(sandboxes: Sandboxes, work: (url: string) => Promise<T>): Promise<T> => {
  const server = express().use(sandboxes.router()).listen(0, '127.0.0.1');
  await once(server, 'listening');
  try {
    return await work(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  } finally {
    server.close();
    server.closeAllConnections();
  }
};
