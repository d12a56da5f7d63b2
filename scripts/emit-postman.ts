import type { DeclaredAction } from './contracts.ts';
import { json } from './text.ts';

/**
 * openapi/posthorn.postman_collection.json: every action as a request with its example, for Postman, Bruno and Insomnia.
 * `npm run try:postman` runs all of it.
 */
export const emitPostman = (actions: readonly DeclaredAction[]) => {
  const domains = [...new Set(actions.map(({ domain }) => domain))];
  const folder = (domain: string) => {
    const own = actions.filter((one) => one.domain === domain);
    return {
      name: domain,
      item: [
        // A run goes from top to bottom, so the requests that find or create records come before those that need an id.
        ...own.filter((one) => !needsId(one)).map(actionRequest),
        ...own.filter(needsId).map(actionRequest),
        ...(domain === 'media' ? [uploadRequest, fromUrlRequest] : []),
      ],
    };
  };
  return {
    'openapi/posthorn.postman_collection.json': json({
      info: {
        name: 'Posthorn',
        description:
          'Set the variables url and token: create a token in the app under "API and MCP", and connect an account, on the sandbox if you like. Requests use the first account and the newest post: accounts.list and posts.create set accountId and postId. To run the collection, set pictureUrl to a picture on the web, and choose a file for "media upload".',
        schema: 'https://schema.getpostman.com/json/collection/v2.1.0/collection.json',
      },
      auth: { type: 'bearer', bearer: [{ key: 'token', value: '{{token}}', type: 'string' }] },
      variable: Object.entries(variables).map(([key, value]) => ({ key, value })),
      event: [testScript(...saveVariables)],
      item: [
        {
          name: 'Catalog and caller',
          event: [succeeds],
          request: { method: 'GET', header: [], url: address('api', 'agent', 'tools') },
        },
        ...domains.map(folder),
      ],
    }),
  };
};

const variables = {
  url: 'http://localhost:3000',
  token: '',
  accountId: '',
  postId: '',
  updatedAt: '',
  pictureUrl: 'https://example.com/picture.jpg',
};

const testScript = (...exec: readonly string[]) => ({ listen: 'test', script: { type: 'text/javascript', exec } });

const saveVariables = [
  'const answer = pm.response.code < 300 ? pm.response.json() : {};',
  "if (answer.accounts && answer.accounts.length > 0) pm.collectionVariables.set('accountId', answer.accounts[0].id);",
  'if (/^post_/.test(answer.id) && answer.updatedAt) {',
  "  pm.collectionVariables.set('postId', answer.id);",
  "  pm.collectionVariables.set('updatedAt', answer.updatedAt);",
  '}',
];

const succeeds = testScript("pm.test('succeeds', () => pm.response.to.be.success);");

const needsApproval = testScript(
  "pm.test('needs the approval of a person, which no token can give', () => {",
  '  pm.response.to.have.status(403);',
  "  pm.expect(pm.response.json().code).to.equal('ApprovalRequired');",
  '});',
);

const needsId = ({ action }: DeclaredAction) => 'id' in action.input.shape;

const address = (...path: string[]) => ({ raw: `{{url}}/${path.join('/')}`, host: ['{{url}}'], path });

const jsonBody = (value: unknown) => ({
  mode: 'raw',
  raw: JSON.stringify(value, null, 2),
  options: { raw: { language: 'json' } },
});

const post = (
  name: string,
  description: string,
  url: ReturnType<typeof address>,
  body: object,
  { type, test = succeeds }: { type?: string; test?: ReturnType<typeof testScript> } = {},
) => ({
  name,
  event: [test],
  request: {
    method: 'POST',
    header: type ? [{ key: 'Content-Type', value: type }] : [],
    description,
    url,
    body,
  },
});

const actionRequest = ({ name, action }: DeclaredAction) =>
  post(
    name,
    `${action.summary}. ${action.description}`,
    address('api', 'agent', 'tools', name),
    jsonBody(withVariables(action.examples[0]?.input ?? {})),
    { type: 'application/json', test: action.kind === 'NeedsApproval' ? needsApproval : succeeds },
  );

/** The ids in the examples exist on no server, so replace them with variables. */
const withVariables = (input: object) =>
  JSON.parse(
    JSON.stringify(input)
      .replaceAll(/\bacct_\w+/g, '{{accountId}}')
      .replaceAll(/\bpost_\w+/g, '{{postId}}')
      .replace(/(?<="baseUpdatedAt":")[^"]+/, '{{updatedAt}}'),
  );

const uploadRequest = post('media upload', 'Add a file to the media library.', address('api', 'media'), {
  mode: 'formdata',
  formdata: [
    { key: 'file', type: 'file', src: 'picture.png' },
    { key: 'alt', type: 'text', value: 'A post horn' },
  ],
});

const fromUrlRequest = post(
  'media from an address',
  'Lets the server fetch a file.',
  address('api', 'media', 'from-url'),
  jsonBody({ url: '{{pictureUrl}}', alt: 'A post horn' }),
  { type: 'application/json' },
);
