import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import type { Page } from 'playwright-core';
import sharp from 'sharp';
import { afterAll, describe, expect, test } from 'vitest';
import { type Documents, startDocuments } from '#test/support/identity';
import { startOutsideProvider } from '#test/support/outside-provider';
import { until } from '#test/support/until';
import { axe, inBrowser, intercept, isAt, isClean, isSideways, pathOf } from './harness.ts';

const isFine = async (page: Page) => {
  expect(await axe(page)).toEqual([]);
  await expect.poll(() => isSideways(page)).toBe(false);
};

const signIn = async (page: Page, email: string, password = 'correct horse') => {
  await page.getByLabel('E-mail address').fill(email);
  await page.getByRole('textbox', { name: 'Password' }).fill(password);
  await page.getByRole('button', { name: 'Sign in' }).click();
};

inBrowser('coming in', (world) => {
  const invite = async (email: string) => {
    const caller = { ...world.service.owner, role: 'owner', mayPublish: true, isPerson: true } as const;
    const { url } = await world.service.posthorn.invitations.invite(caller, { email, role: 'editor' });
    return new URL(url).pathname;
  };

  test('a wrong password is explained, several make the person wait, and signing in leads back to the page they wanted', async () => {
    const { email } = await world.service.addMember('editor');
    const at = `/sign-in?next=${encodeURIComponent('/approvals?show=decided')}`;
    const page = await world.visit({ at, as: null, expected: [/401/, /429/] });
    await signIn(page, email, 'wrong');
    await page.getByText('E-mail address or password is wrong.').waitFor();
    // Each wait is longer than the one before.
    const waits = page.getByText(/^Wait .*, then try again\./);
    for (let tries = 0; tries < 15 && !(await waits.isVisible()); tries++) {
      const answered = page.waitForResponse((response) => response.url().endsWith('/api/auth/sign-in'));
      await signIn(page, email, 'wrong');
      await answered;
    }
    await waits.waitFor();
    world.service.wallClock.forward(3_600_000);
    await signIn(page, email);
    await isAt(page, '/approvals?show=decided');
  });

  test.each([true, false])(
    'a new password ends personal tokens, unless the box is cleared: ticked %s',
    async (ticked) => {
      const { email, token } = await world.service.addMember('editor');
      const { path } = await world.service.posthorn.userAdministration.newPasswordPath(email);
      const page = await world.visit({ at: path, as: null });
      const box = page.getByRole('checkbox', { name: 'End my personal tokens too' });
      await box.waitFor();
      await expect.poll(() => box.isChecked()).toBe(true);
      if (ticked) await isClean(page, () => box.waitFor());
      else await box.uncheck();
      await page.getByLabel('New password').fill('another horse');
      await page.getByRole('button', { name: 'Set the password' }).click();
      await isAt(page, '/');
      const { status } = await world.service.call('accounts.list', {}, { authorization: `Bearer ${token}` });
      expect(status).toBe(ticked ? 401 : 200);
    },
  );

  test('an invalid request of an unknown app ends on our own page, with a link', async () => {
    const { body } = await world.service.request('POST', '/auth/register', {
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ redirect_uris: ['https://desk.example.com/done'] }),
    });
    const query = new URLSearchParams({
      client_id: body.client_id,
      redirect_uri: 'https://desk.example.com/done',
      response_type: 'code',
      scope: 'nonsense',
    });
    const page = await world.visit({ at: `/auth/authorize?${query}`, as: null, expected: [/400/] });
    const link = page.getByRole('link', { name: 'Go back to desk.example.com' });
    await expect.poll(() => link.getAttribute('href')).toMatch(/^https:\/\/desk\.example\.com\/done\?error=/);
    await isFine(page);
  });

  // own-path.test.ts tries the other ways to name another site.
  test('the way back is never another site', async () => {
    const { email } = await world.service.addMember('viewer');
    const page = await world.visit({ at: `/sign-in?next=${encodeURIComponent('//evil.example')}`, as: null });
    await signIn(page, email);
    await isAt(page, '/');
  });

  test("the browser's time zone becomes the person's, once", async () => {
    const { email } = await world.service.addMember('editor');
    const zone = async () => {
      const browser = world.service.browser();
      await browser.signIn(email);
      return (await browser.get('/api/auth/session')).body.user.timeZone;
    };
    await world.visit({ at: '/settings/api', as: email, timeZone: 'Asia/Tokyo' });
    await expect.poll(zone).toBe('Asia/Tokyo');
    const later = await world.visit({ at: '/settings/api', as: email, timeZone: 'America/New_York' });
    await later.getByRole('heading', { name: 'Connect a client' }).waitFor();
    expect(await zone()).toBe('Asia/Tokyo');
  });

  test('a new person joins through an invitation with their own name and password', async () => {
    const page = await world.visit({ at: await invite('new@example.com'), as: null });
    await page.getByRole('heading', { name: 'Join Demo' }).waitFor();
    await page.getByText('new@example.com').waitFor();
    await page.getByRole('textbox', { name: 'Your name' }).fill('Nora New');
    await page.getByRole('textbox', { name: 'Password' }).fill('a long password');
    await page.getByRole('button', { name: 'Join' }).click();
    await isAt(page, '/');
    const person = world.service.browser();
    expect((await person.signIn('new@example.com', 'a long password')).status).toBe(200);
    expect((await person.get('/api/auth/session')).body.user.name).toBe('Nora New');
  });

  test('an invitation that could not be loaded is loaded with Try again, whichever request failed', async () => {
    const page = await world.visit({ at: '/healthz', as: null, expected: [/400|503/] });
    await intercept(page, '**/api/auth/entrance', (route) => route.fulfill({ status: 400, body: 'no' }));
    await page.goto(world.service.url + (await invite('later@example.com')));
    await page.getByText('The invitation could not be loaded').waitFor();
    await page.unroute('**/api/auth/entrance');
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByRole('heading', { name: 'Join Demo' }).waitFor();
  });

  test.each([
    ['/second-factor', '**/api/auth/second-factor', 'Second step'],
    ['/invitations/any', '**/api/auth/invitations/open', 'Invitation'],
    ['/sign-in', '**/api/auth/entrance', 'Sign in'],
    ['/sign-up', '**/api/auth/entrance', 'Welcome'],
    ['/forgot-password', '**/api/auth/entrance', 'Forgot your password?'],
  ])('%s has its heading while its first answer is awaited', async (path, url, name) => {
    // The request goes on when the test is over.
    const page = await world.visit({ at: '/healthz', as: null, expected: [/404/] });
    await intercept(page, url, () => undefined);
    await page.goto(world.service.url + path);
    await page.getByRole('heading', { name }).waitFor();
    await page.getByText('Loading', { exact: true }).waitFor();
    // Otherwise the page would navigate once its request continues.
    await page.goto('about:blank');
  });

  test('a signed-in person joins with one click, which uses up the link', async () => {
    const { email } = await world.service.addWorkspace();
    const at = await invite(email);
    const page = await world.visit({ at, as: email });
    await page.getByRole('button', { name: 'Join' }).waitFor();
    expect(await page.getByRole('textbox', { name: 'Password' }).count()).toBe(0);
    await page.getByRole('button', { name: 'Join' }).click();
    await isAt(page, '/');
    const again = await world.visit({ at, as: null, expected: [/404/] });
    await again.getByRole('heading', { name: 'This invitation does not work' }).waitFor();
    await isFine(again);
  });

  test('a one-time link signs in once, and a used one says what to do', async () => {
    const { email } = await world.service.addMember('editor');
    const { path } = await world.service.posthorn.welcome.linkFor(email);
    const page = await world.visit({ at: path, as: null });
    await isAt(page, '/');
    await page.getByRole('button', { name: email.split('@')[0] ?? '' }).waitFor();
    const again = await world.visit({ at: path, as: null, expected: [/404/] });
    await again.getByRole('heading', { name: 'This link is used up' }).waitFor();
    await again.getByText('npx posthorn link').waitFor();
    await isFine(again);
  });

  test('a session ended elsewhere leads to the sign-in page and back', async () => {
    const { email, userId } = await world.service.addMember('editor');
    const page = await world.visit({ at: '/settings/api', as: email, expected: [/401/, /ERR_FAILED/] });
    await page.getByRole('heading', { name: 'Connect a client' }).waitFor();
    await world.service.posthorn.sessions.endOthers(userId);
    await isAt(page, /^\/sign-in\?next=%2Fsettings%2Fapi/);
    // Wait for the form before blocking requests, so that only the sign-in is lost.
    await page.getByText('Your session has ended').waitFor();
    await intercept(page, '**/api/auth/sign-in', (route) => route.abort(), { times: 1 });
    await signIn(page, email);
    await page.getByText('The server does not answer. Check the connection, then try again.').waitFor();
    const other = await page.context().newPage();
    await other.goto(page.url());
    await other.getByText('Your session has ended').waitFor();
    await signIn(page, email);
    await page.getByRole('heading', { name: 'Connect a client' }).waitFor();
    // Returning to the other tab finds it signed in too.
    await other.evaluate("dispatchEvent(new Event('visibilitychange'))");
    await other.getByRole('heading', { name: 'Connect a client' }).waitFor();
  });

  test('the end of a session is seen although a change of the profile is answered in that moment', async () => {
    const { email, userId } = await world.service.addMember('editor');
    const page = await world.visit({ at: '/favicon.svg', as: email, expected: [/401/, /ERR_FAILED/, /favicon/] });
    const gate = () => {
      let open = () => {};
      const opened = new Promise<void>((resolve) => {
        open = resolve;
      });
      return { open, opened };
    };
    const [profile, session] = [gate(), gate()];
    let changes = 0;
    let readings = 0;
    await intercept(page, '**/api/app/profile', async (route) => {
      const response = await route.fetch();
      changes += 1;
      await profile.opened;
      await route.fulfill({ response });
    });
    const live = page.waitForResponse('**/api/app/events*');
    await page.goto(`${world.service.url}/settings/api`);
    await page.getByRole('heading', { name: 'Connect a client' }).waitFor();
    await live;
    // The browser's time zone becomes the person's.
    await expect.poll(() => changes).toBe(1);
    await intercept(page, '**/api/auth/session', async (route) => {
      readings += 1;
      await session.opened;
      await route.continue().catch(() => {}); // A newer request has replaced this one
    });
    await intercept(page, /\/api\/app\/(?!profile)/, (route) => route.abort());
    await world.service.posthorn.sessions.endOthers(userId);
    await expect.poll(() => readings).toBeGreaterThan(0);
    const answered = page.waitForResponse('**/api/app/profile');
    profile.open();
    await answered;
    session.open();
    await isAt(page, /^\/sign-in\?next=%2Fsettings%2Fapi/);
  });

  test('is clean on a desk in light and on a phone in dark', async () => {
    const page = await world.visit({ at: '/sign-in', as: null, expected: [/404/] });
    await isClean(page, () => page.getByRole('button', { name: 'Sign in' }).waitFor());
    const styleOf = (selector: string) =>
      page.locator(selector).evaluate((element) => getComputedStyle(element).outlineStyle);
    await page.getByRole('textbox', { name: 'Password' }).focus();
    await expect.poll(() => styleOf('.mantine-PasswordInput-input')).toBe('solid');
    await page.getByLabel('E-mail address').focus();
    await expect.poll(() => styleOf('.mantine-PasswordInput-input')).toBe('none');
    await page.goto(`${world.service.url}/welcome/used`);
    await page.getByRole('heading', { name: 'This link is used up' }).waitFor();
    await isFine(page);
    await page.goto(world.service.url + (await invite('looked@example.com')));
    await page.getByRole('button', { name: 'Join' }).waitFor();
    await isFine(page);
  });
});

inBrowser(
  'the first owner',
  (world) => {
    test('signs up with the code that start printed', async () => {
      const code = (await world.service.posthorn.welcome.firstOwnerCode()) ?? '';
      const page = await world.visit({ at: '/', as: null, expected: [/401/, /403/] });
      await isAt(page, /^\/sign-up/);
      await page.getByLabel('E-mail address').fill('first@example.com');
      await page.getByRole('textbox', { name: 'Password' }).fill('a long password');
      await page.getByLabel('Name of the workspace').fill('Bakery');
      await page.getByLabel('Code').fill('guessed');
      await page.getByRole('button', { name: 'Sign up' }).click();
      await page.getByText('needs the code that Posthorn printed').waitFor();
      await isFine(page);
      await page.getByLabel('Code').fill(code);
      await page.getByRole('button', { name: 'Sign up' }).click();
      await page.getByRole('button', { name: /Bakery/ }).waitFor();
    });
  },
  { EMBEDDED_DATABASE: 'true' },
  { empty: true, production: true },
);

const outside = await startOutsideProvider();

inBrowser(
  'where an outside provider signs people in',
  (world) => {
    test('the page has its button, and says what was refused', async () => {
      const page = await world.visit({ at: '/sign-in?next=%2Fposts&refused=NotInvited', as: null });
      await page.getByText('You are not a member here').waitFor();
      expect(await page.getByRole('textbox').count()).toBe(0);
      await isFine(page);
      await intercept(page, `${outside.settings.AUTH_URL}/**`, (route) => route.fulfill({ body: 'elsewhere' }));
      const left = page.waitForRequest((request) => request.url().startsWith(outside.settings.AUTH_URL));
      // The identity provider is another host.
      await page.getByRole('button', { name: 'Continue' }).click();
      expect(new URL((await left).url()).searchParams.get('redirect_uri')).toContain('/sign-in/callback');
      world.forgive(/left the host/);
    });
  },
  outside.settings,
);

describe('consent', () => {
  let documents: Documents;
  const folder = mkdtempSync(join(tmpdir(), 'posthorn-consent-'));
  afterAll(() => {
    documents?.stop();
    listener.close();
    outside.stop();
    rmSync(folder, { recursive: true });
  });
  /** Loopback address on which the client listens. */
  const listener = createServer((_req, res) => res.end('done'));
  let redirectUrl = '';

  const picture = (background: string) =>
    sharp({ create: { width: 1080, height: 1080, channels: 3, background } })
      .jpeg()
      .toBuffer();
  const serve = async (background: string) => {
    const bytes = await picture(background);
    return documents.answering((_req, res) => res.writeHead(200, { 'content-type': 'image/jpeg' }).end(bytes));
  };

  /** A real OAuth client that stores its tokens and records where it sends the browser. */
  const desk = (change: object) => {
    const kept: Record<string, unknown> = {};
    const keep = (name: string) => (value: unknown) => {
      kept[name] = value;
    };
    const provider = {
      redirectUrl,
      clientMetadataUrl: documents.client({ client_name: 'Desk Agent', redirect_uris: [redirectUrl] }),
      clientMetadata: { client_name: 'Desk Agent', redirect_uris: [redirectUrl] },
      state: () => 'the-state',
      clientInformation: () => kept.client as never,
      saveClientInformation: keep('client'),
      tokens: () => kept.tokens as never,
      saveTokens: keep('tokens'),
      redirectToAuthorization: keep('asked'),
      saveCodeVerifier: keep('verifier'),
      codeVerifier: () => String(kept.verifier),
      discoveryState: () => kept.discovery as never,
      saveDiscoveryState: keep('discovery'),
      ...change,
    };
    return { kept, provider };
  };

  inBrowser(
    'of a person',
    (world) => {
      const begin = async (change: object = {}) => {
        const { kept, provider } = desk(change);
        const transport = () =>
          new StreamableHTTPClientTransport(new URL('/mcp', world.service.url), { authProvider: provider });
        const first = transport();
        await new Client({ name: 'desk', version: '1' }).connect(first).catch(() => undefined);
        const asked = new URL(String(kept.asked));
        return { at: asked.pathname + asked.search, first, transport };
      };
      const isDone = (page: Page) => expect.poll(() => page.url()).toContain(redirectUrl);
      const expected = () => [new RegExp(new URL(redirectUrl).host), /401/];

      test('a person signs in, sees who asks for what and grants a part; the client acts in the workspace opened last', async () => {
        const { at, first, transport } = await begin();
        const { email, workspaceId } = await world.service.addMember('admin');
        // The page's last report belongs to the old workspace and is refused, as it should be.
        const page = await world.visit({ at, as: null, expected: [...expected(), /409.*ui\.setContext/] });
        await isAt(page, /^\/sign-in/);
        await signIn(page, email);
        await page.getByRole('heading', { name: 'Let Desk Agent use Posthorn?' }).waitFor();
        await page.getByText('Any program on this computer could use its name.').waitFor();
        await page.getByText(`As ${email}, in the workspace you opened last: Demo.`).waitFor();
        await page.getByText(`Published at ${documents.host}`).waitFor();
        await isFine(page);
        await page.getByRole('button', { name: 'Let it in' }).click();
        await isDone(page);
        await first.finishAuth(new URL(page.url()).searchParams);
        const client = new Client({ name: 'desk', version: '1' });
        await client.connect(transport());
        const bodies = async () => JSON.stringify(await client.callTool({ name: 'posts_list', arguments: {} }));
        await world.service.client.posts.create({ body: 'Only in Demo' });
        expect(await bodies()).toContain('Only in Demo');
        await page.goto(`${world.service.url}/settings/api`);
        await page.getByRole('button', { name: /Switch workspace/ }).click();
        await page.getByRole('menuitem', { name: 'New workspace' }).click();
        const dialog = page.getByRole('dialog', { name: 'New workspace' });
        await dialog.getByLabel('Name').fill('Bakery');
        await dialog.getByRole('button', { name: 'Create workspace' }).click();
        await page.getByRole('button', { name: /Bakery.*Switch workspace/ }).waitFor();
        expect(await bodies()).not.toContain('Only in Demo');
        await page.getByRole('button', { name: /Bakery.*Switch workspace/ }).click();
        await page.getByRole('menuitem', { name: 'Demo' }).click();
        await page.getByRole('button', { name: /Demo.*Switch workspace/ }).waitFor();
        expect(await bodies()).toContain('Only in Demo');
        expect(workspaceId).toBe(world.service.owner.workspaceId);
        await client.close();
      });

      test('a client that knows the address alone is let in and brings a carousel, which a person approves and Instagram gets', async () => {
        const accountId = await world.service.connect('instagram');
        const { at, first, transport } = await begin();
        const page = await world.visit({ at, expected: expected() });
        await page.getByRole('button', { name: 'Let it in' }).click();
        await isDone(page);
        await first.finishAuth(new URL(page.url()).searchParams);
        const client = new Client({ name: 'desk', version: '1' });
        await client.connect(transport());
        const call = async (name: string, input: Record<string, unknown>) =>
          (await client.callTool({ name, arguments: input })).structuredContent as {
            id: string;
            upload: { url: string };
            approvalUrl: string;
          };
        const { upload } = await call('media_list', {});
        const form = new FormData();
        form.set('file', new Blob([new Uint8Array(await picture('green'))]), 'local.jpg');
        const { id: local } = await (await fetch(upload.url, { method: 'POST', body: form })).json();
        const addresses = [await serve('red'), await serve('blue')];
        const content = [{ body: 'Three loaves', media: [...addresses, local], alt: ['Rye', 'Oat', 'Spelt'] }];
        const { id } = await call('posts_create', { accountIds: [accountId], versions: [{ content }] });
        const { approvalUrl } = await call('posts_publishNow', { id });
        await client.close();
        await page.goto(approvalUrl);
        const card = page.getByRole('article');
        await card.getByText('Three loaves').first().waitFor();
        await card.getByAltText('Rye').first().waitFor();
        await card.getByRole('button', { name: 'Approve and publish' }).click();
        await card.getByText(/approved by you at /).waitFor();
        await until('the carousel is out', async () => {
          const out = (await world.service.feed('instagram')).find(({ text }) => text === 'Three loaves');
          return out?.media.length === 3;
        });
      });

      test('Refuse denies the request and closes it', async () => {
        const { at } = await begin();
        const page = await world.visit({ at, expected: [...expected(), /404/] });
        await page.getByRole('heading', { name: 'Let Desk Agent use Posthorn?' }).waitFor();
        const question = pathOf(page);
        await page.getByRole('button', { name: 'Refuse' }).click();
        await isDone(page);
        expect(new URL(page.url()).searchParams.get('error')).toBe('access_denied');
        await page.goto(world.service.url + question);
        await page.getByRole('heading', { name: 'This question is no longer open' }).waitFor();
        await isFine(page);
      });

      test('no key approves by accident, and the button says what is granted', async () => {
        const page = await world.visit({ at: (await begin()).at });
        const title = page.getByRole('heading', { level: 1 });
        await title.waitFor();
        await expect.poll(() => title.evaluate((element) => element === document.activeElement)).toBe(true);
        await page.keyboard.press('Enter');
        await page.getByRole('checkbox', { name: /Write and change drafts/ }).focus();
        await page.keyboard.press('Enter');
        await expect.poll(() => page.getByRole('checkbox', { name: /Disconnect accounts/ }).isChecked()).toBe(false);
        await page.getByRole('checkbox', { name: /Write and change drafts/ }).uncheck();
        await page.getByRole('checkbox', { name: /Schedule, publish/ }).uncheck();
        await page.getByRole('button', { name: 'Let it in, to look only' }).waitFor();
        await page.getByRole('checkbox', { name: /^Read posts/ }).uncheck();
        await page.getByRole('button', { name: 'Tick what it may do' }).click({ force: true });
        await title.waitFor();
        expect(pathOf(page)).toMatch(/^\/consent\//);
      });

      test('is clean on a desk in light and on a phone in dark, also for an unverified client', async () => {
        const page = await world.visit({ at: (await begin()).at });
        await isClean(page, () => page.getByRole('button', { name: 'Let it in' }).waitFor());
        await page.goto(world.service.url + (await begin({ clientMetadataUrl: undefined })).at);
        await page.getByRole('heading', { name: 'Let “Desk Agent” use Posthorn?' }).waitFor();
        await isClean(page, () => page.getByText('This app chose its own name').waitFor());
      });

      test('a name written from right to left is isolated from the question, and the tab has it too', async () => {
        const clientMetadata = { client_name: 'מאפייה (24)', redirect_uris: [redirectUrl] };
        const page = await world.visit({ at: (await begin({ clientMetadataUrl: undefined, clientMetadata })).at });
        const title = page.getByRole('heading', { name: 'Let “מאפייה (24)” use Posthorn?' });
        await title.getByText('מאפייה (24)', { exact: true }).waitFor();
        await expect.poll(() => page.title()).toBe('Let “מאפייה (24)” use Posthorn? · Posthorn');
      });
    },
    async () => {
      documents = await startDocuments();
      await once(listener.listen(0, '127.0.0.1'), 'listening');
      redirectUrl = `http://127.0.0.1:${(listener.address() as AddressInfo).port}/done`;
      const ca = join(folder, 'ca.pem');
      writeFileSync(ca, documents.cert);
      return { OUTBOUND_ALLOW: documents.host, OUTBOUND_CA: ca, SIGN_INS_PER_HOUR: '1000' };
    },
  );
});
