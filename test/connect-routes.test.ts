import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Service, startService } from '#test/support/service';

let service: Service;
let browser: ReturnType<Service['browser']>;
beforeAll(async () => {
  service = await startService();
  browser = service.browser();
  await browser.signIn();
});
afterAll(() => service.stop());

describe('what a network asks for', () => {
  test('every network tells its fields, without a secret of ours', async () => {
    for (const network of service.posthorn.networks.all) {
      const { status, body } = await browser.get(`/api/app/connect/${network.key}`);
      expect(status).toBe(200);
      expect(body).toMatchObject({ network: network.key, provider: network.name, sandbox: true });
      expect(body.fields.length > 0).toBe(network.connect.kind !== 'OAuth');
    }
  });

  test('an unknown network is NotFound, and an editor may not connect', async () => {
    expect((await browser.get('/api/app/connect/nope')).status).toBe(404);
    const { email } = await service.addMember('editor');
    const editor = service.browser();
    await editor.signIn(email);
    expect((await editor.get('/api/app/connect/x')).status).toBe(403);
  });

  test('coming back without having gone is a Conflict that says to begin again', async () => {
    const { status, body } = await browser.post('/api/app/connect/x/finish', { answer: { state: 'x', code: 'y' } });
    expect(status).toBe(409);
    expect(body.message).toContain('Begin again');
  });
});

describe('GET /api/app/sandbox', () => {
  test('shows what was posted, what can go wrong, and how far the clock was moved', async () => {
    await browser.post('/api/app/sandbox/faults', { network: 'x', moment: 'publish', fault: '503', times: 2 });
    const { body } = await browser.get('/api/app/sandbox');
    expect(body.aheadMs).toBe(0);
    expect(body.faults.length).toBeGreaterThan(10);
    expect(body.networks.find(({ network }: { network: string }) => network === 'x').planned).toEqual([
      { moment: 'publish', fault: '503', times: 2 },
    ]);
  });
});
