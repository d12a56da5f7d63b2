import type { DeclaredAction } from './contracts.ts';
import { json } from './text.ts';

/** openapi/posthorn.postman_collection.json: every action as a request with its example, for Postman, Bruno and Insomnia. */
export const emitPostman = (actions: readonly DeclaredAction[]) => {
  const domains = [...new Set(actions.map(({ domain }) => domain))];
  const folder = (domain: string) => ({
    name: domain,
    item: [
      ...actions.filter((one) => one.domain === domain).map(actionRequest),
      ...(domain === 'media' ? [uploadRequest, fromUrlRequest] : []),
    ],
  });
  return {
    'openapi/posthorn.postman_collection.json': json({
      info: {
        name: 'Posthorn',
        description: 'Set the variables url and token. Make a token in the app under "API and MCP".',
        schema: 'https://schema.getpostman.com/json/collection/v2.1.0/collection.json',
      },
      auth: { type: 'bearer', bearer: [{ key: 'token', value: '{{token}}', type: 'string' }] },
      variable: [
        { key: 'url', value: 'http://localhost:3000' },
        { key: 'token', value: '' },
      ],
      item: [
        { name: 'Catalog and caller', request: { method: 'GET', header: [], url: address('api', 'agent', 'tools') } },
        ...domains.map(folder),
      ],
    }),
  };
};

const address = (...path: string[]) => ({ raw: `{{url}}/${path.join('/')}`, host: ['{{url}}'], path });

const jsonBody = (value: unknown) => ({
  mode: 'raw',
  raw: JSON.stringify(value, null, 2),
  options: { raw: { language: 'json' } },
});

const post = (name: string, description: string, url: ReturnType<typeof address>, body: object, type?: string) => ({
  name,
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
    jsonBody(action.examples[0]?.input ?? {}),
    'application/json',
  );

const uploadRequest = post('media upload', 'Add a file to the media library.', address('api', 'media'), {
  mode: 'formdata',
  formdata: [
    { key: 'file', type: 'file', src: [] },
    { key: 'alt', type: 'text', value: 'A post horn' },
  ],
});

const fromUrlRequest = post(
  'media from an address',
  'Lets the server fetch a file.',
  address('api', 'media', 'from-url'),
  jsonBody({ url: 'https://example.com/picture.jpg', alt: 'A post horn' }),
  'application/json',
);
