import { createHmac } from 'node:crypto';
import Module, { createRequire } from 'node:module';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { actions } from '#generated/catalog';
import { type Service, startService } from '#test/support/service';

/**
 * The generated n8n package against a service, with as much of n8n's interface as it uses. `npm run try:n8n` runs it
 * inside n8n itself.
 */

class NodeApiError extends Error {
  readonly description: string;
  readonly httpCode: string;
  constructor(_node: object, _cause: object, details: { message: string; description: string; httpCode: string }) {
    super(details.message);
    this.description = details.description;
    this.httpCode = details.httpCode;
  }
}

interface Property {
  name: string;
  required?: boolean;
  options?: Property[];
  displayOptions?: { show: { resource: string[]; operation?: string[] } };
}
interface NodeType {
  description: { properties: Property[] };
  methods: { loadOptions: { getAccounts(this: object): Promise<{ name: string; value: string }[]> } };
  execute(this: object): Promise<{ json: Record<string, unknown> }[][]>;
  webhook(this: object): Promise<{ workflowData?: { json: object }[][]; noWebhookResponse?: boolean }>;
}

/** n8n provides n8n-workflow to its packages. */
const loadNode = (name: string): NodeType => {
  const loader = Module as unknown as { _load: (request: string, ...rest: unknown[]) => unknown };
  const load = loader._load;
  loader._load = (request, ...rest) => (request === 'n8n-workflow' ? { NodeApiError } : load(request, ...rest));
  try {
    const loaded = createRequire(import.meta.url)(`../../packages/n8n/nodes/${name}/${name}.node.js`);
    return new loaded[name]();
  } finally {
    loader._load = load;
  }
};

const node = loadNode('Posthorn');
const trigger = loadNode('PosthornTrigger');
let service: Service;
let accountId: string;

beforeAll(async () => {
  service = await startService();
  accountId = await service.addAccount('bluesky');
});
afterAll(() => service.stop());

interface HttpRequest {
  method: string;
  url: string;
  headers: Record<string, string>;
  body: Buffer<ArrayBuffer>;
}

const contextOf = (parameters: Record<string, unknown>, file = Buffer.alloc(0), execution = '1') => ({
  getInputData: () => [{}],
  getNode: () => ({ id: 'node' }),
  getExecutionId: () => execution,
  getInstanceId: () => 'instance',
  getWorkflow: () => ({ id: 'workflow' }),
  getWorkflowDataProxy: () => ({ $runIndex: 0 }),
  continueOnFail: () => false,
  getCredentials: async () => ({ url: `${service.url}/` }),
  getNodeParameter: (name: string, _index: number, otherwise: unknown) => parameters[name] ?? otherwise,
  helpers: {
    assertBinaryData: () => ({ fileName: 'horn.jpg', mimeType: 'image/jpeg' }),
    getBinaryDataBuffer: async () => file,
    httpRequestWithAuthentication: async (_credentials: string, { url, headers, ...init }: HttpRequest) => {
      const authorization = `Bearer ${service.token}`;
      const answer = await fetch(url, { ...init, headers: { ...headers, authorization } });
      return { statusCode: answer.status, body: await answer.text() };
    },
  },
});

const runAll = async (action: string, parameters: object = {}, file?: Buffer<ArrayBuffer>, execution?: string) => {
  const [resource, operation] = action.split('.');
  const [items = []] = await node.execute.call(contextOf({ resource, operation, ...parameters }, file, execution));
  return items.map(({ json }) => json as Record<string, unknown>);
};

const run = async (...call: Parameters<typeof runAll>) => {
  const [first = {}] = await runAll(...call);
  return first;
};

describe('the node', () => {
  test('offers every action of the contract with each of its fields, and all pages instead of a cursor', () => {
    for (const [name, { input }] of Object.entries(actions)) {
      const [resource = '', operation = ''] = name.split('.');
      const shown = node.description.properties.filter(
        ({ displayOptions }) =>
          displayOptions?.show.resource.includes(resource) && displayOptions.show.operation?.includes(operation),
      );
      const fields = shown
        .filter((one) => one.name !== 'options')
        .flatMap((one) => (one.name === 'fields' ? (one.options ?? []) : [one]));
      const expected = Object.keys(input.shape).map((field) => (field === 'cursor' ? 'returnAll' : field));
      expect(fields.map((field) => field.name).sort(), name).toEqual(expected.sort());
    }
  });

  test('uploads, drafts with lists as text, and offers the accounts to choose from', async () => {
    const file = Buffer.from(await (await fetch(`${service.url}/media/${await service.addFile()}`)).arrayBuffer());
    const { id: media } = await run('media.upload', { binaryProperty: 'data', alt: 'A horn' }, file);
    const versions = JSON.stringify([{ content: [{ body: 'From n8n', media: [media] }] }]);
    const post = await run('posts.create', { fields: { accountIds: ` ${accountId}, `, versions } });
    expect(post).toMatchObject({ status: 'Draft', accountIds: [accountId] });
    expect(post).toHaveProperty(['versions', 0, 'content', 0, 'media'], [media]);
    expect(await node.methods.loadOptions.getAccounts.call(contextOf({}))).toEqual([
      { name: expect.stringMatching(/^Bluesky: /), value: accountId },
    ]);
  });

  test('turns every entry of a list into an item, one page or all of them', async () => {
    for (const body of ['List 1', 'List 2', 'List 3']) await service.call('posts.create', { body });
    const fields = { query: 'List', limit: 2 };
    expect(await runAll('posts.list', { fields })).toHaveLength(2);
    expect(await runAll('posts.list', { fields, returnAll: true })).toMatchObject(
      ['List 3', 'List 2', 'List 1'].map((body) => ({
        status: 'Draft',
        versions: [{ content: [{ body }] }],
      })),
    );
    expect(await runAll('posts.list', { fields: { ...fields, view: 'summary' } })).toHaveLength(2);
    expect(await runAll('accounts.list')).toMatchObject([{ id: accountId }]);
  });

  test('makes nothing twice when an item is tried again, and something new in another execution', async () => {
    const fields = { body: 'Once' };
    const first = await run('posts.create', { fields });
    expect(await run('posts.create', { fields })).toEqual(first);
    expect(await run('posts.create', { fields: { body: 'Once more' } })).not.toMatchObject({ id: first.id });
    expect(await run('posts.create', { fields }, undefined, '2')).not.toMatchObject({ id: first.id });
    const options = { idempotencyKey: 'order-7' };
    const own = await run('posts.create', { fields, options });
    expect(await run('posts.create', { fields, options }, undefined, '2')).toEqual(own);
  });

  test('asks a person for what needs approval, also to change a scheduled post', async () => {
    const { id } = await run('posts.create', { fields: { accountIds: [accountId], body: 'Ask first' } });
    const answer = await run('posts.publishNow', { id });
    expect(answer).toMatchObject({ status: 'pending_approval', action: 'posts.publishNow' });
    expect(answer.approvalUrl).toMatch(/\/approvals\/card_\w+$/);
    expect((await service.call('posts.get', { id })).body.status).toBe('Draft');
    expect(await runAll('posts.list', { fields: { waiting: true } })).toMatchObject([
      { id, status: 'Draft', requests: [{ action: 'posts.publishNow', approvalUrl: answer.approvalUrl }] },
    ]);
    const owner = service.browser();
    await owner.signIn();
    const at = new Date(service.clock.now().getTime() + 86_400_000).toISOString();
    await owner.post('/api/app/actions/posts.schedule', { id, at });
    const change = await run('posts.setVersionText', { id, body: 'Changed' });
    expect(change).toMatchObject({ status: 'pending_approval', action: 'posts.setVersionText' });
  });

  test('fails with the message and the issues of the service', async () => {
    await expect(run('posts.get', { id: 'post_none' })).rejects.toMatchObject({
      message: expect.stringContaining('post_none'),
      httpCode: '404',
    });
    const wrong = run('posts.setOption', { id: 'post_none', key: 'bluesky.nothing', fields: { value: 'x' } });
    await expect(wrong).rejects.toThrow();
    await expect(run('posts.schedule', { id: 'post_none', at: 'soon' })).rejects.toMatchObject({
      description: expect.stringContaining('at '),
    });
  });
});

describe('the trigger', () => {
  const secret = 'whsec_c2VjcmV0';
  const receive = async (type: string, { key = secret, ageSeconds = 0 } = {}) => {
    const rawBody = Buffer.from(JSON.stringify({ id: 'evt_1', type, data: {} }));
    const time = Math.floor(Date.now() / 1000) - ageSeconds;
    const signature = createHmac('sha256', key).update(`${time}.`).update(rawBody).digest('hex');
    const statuses: number[] = [];
    const response = {
      status: (code: number) => {
        statuses.push(code);
        return response;
      },
      json: () => undefined,
    };
    const { workflowData } = await trigger.webhook.call({
      getCredentials: async () => ({ secret }),
      getRequestObject: () => ({ rawBody }),
      getResponseObject: () => response,
      getHeaderData: () => ({ 'posthorn-signature': `t=${time},v1=${signature}` }),
      getNodeParameter: () => ['post.published'],
    });
    return { started: workflowData?.[0]?.map(({ json }) => json), statuses };
  };

  test('starts on a signed event that was chosen, and accepts others without starting', async () => {
    expect(await receive('post.published')).toMatchObject({ started: [{ id: 'evt_1', type: 'post.published' }] });
    expect(await receive('post.failed')).toEqual({ started: undefined, statuses: [] });
  });

  test('refuses another secret and an old signature', async () => {
    expect(await receive('post.published', { key: 'whsec_other' })).toEqual({ started: undefined, statuses: [400] });
    expect(await receive('post.published', { ageSeconds: 301 })).toEqual({ started: undefined, statuses: [400] });
  });
});
