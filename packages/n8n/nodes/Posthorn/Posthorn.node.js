const { createHash } = require('node:crypto');
const { NodeApiError } = require('n8n-workflow');
const { actions, properties } = require('../../generated/actions.js');

class Posthorn {
  description = {
    displayName: 'Posthorn',
    name: 'posthorn',
    icon: 'file:../../icons/posthorn.svg',
    group: ['output'],
    version: 1,
    subtitle: '={{ $parameter.resource + ": " + $parameter.operation }}',
    description: 'Drafts, checks and asks to publish posts on social networks',
    defaults: { name: 'Posthorn' },
    inputs: ['main'],
    outputs: ['main'],
    usableAsTool: true,
    credentials: [{ name: 'posthornApi', required: true }],
    properties,
  };

  methods = {
    loadOptions: {
      async getAccounts() {
        const { accounts } = await request(this, '/api/agent/tools/accounts.list', {});
        return accounts.map(({ id, provider, name, handle }) => ({
          name: `${provider}: ${name ?? handle ?? id}`,
          value: id,
        }));
      },
    },
  };

  async execute() {
    const results = [];
    for (const [index] of this.getInputData().entries()) {
      try {
        results.push(...(await run(this, index)).map((json) => ({ json, pairedItem: index })));
      } catch (error) {
        if (!this.continueOnFail()) throw error;
        results.push({ json: { error: error.message }, pairedItem: index });
      }
    }
    return [results];
  }
}

const run = async (context, index) => {
  const resource = context.getNodeParameter('resource', index);
  const operation = context.getNodeParameter('operation', index);
  if (`${resource}.${operation}` === 'media.upload') return [await upload(context, index)];
  const action = actions.find(({ name }) => name === `${resource}.${operation}`);
  const input = readInput(context, index, action);
  return action.lists === undefined ? [await call(context, index, action, input)] : list(context, index, action, input);
};

const call = async (context, index, action, input) => {
  const key = action.takesKey ? keyOf(context, index, action.name, JSON.stringify(input)) : undefined;
  const answer = await send(context, `/api/agent/tools/${action.name}`, { json: input, key });
  if (answer.statusCode === 403 && answer.body.code === 'ApprovalRequired') return ask(context, index, action, input);
  return bodyOf(context, index, answer);
};

const list = async (context, index, action, input) => {
  const returnAll = context.getNodeParameter('returnAll', index, false);
  const entries = [];
  let cursor;
  do {
    const page = await call(context, index, action, { ...input, ...(cursor && { cursor }) });
    entries.push(...action.lists.flatMap((field) => page[field] ?? []).map((entry) => withRequests(entry, page)));
    cursor = page.nextCursor;
  } while (returnAll && cursor);
  return entries;
};

/** Adds the open approval requests of a post to its item. */
const withRequests = (entry, { requests }) =>
  requests ? { ...entry, requests: requests.filter(({ postId }) => postId === entry.id) } : entry;

/**
 * The same for every try of one item in one execution. The instance and the content are part of it, because a copy of a
 * workflow has the same ids elsewhere, and executions are counted from 1 again on a new database.
 */
const keyOf = (context, index, ...content) => {
  const { idempotencyKey } = context.getNodeParameter('options', index, {});
  if (idempotencyKey) return idempotencyKey;
  const execution = context.getExecutionId();
  if (!execution) return undefined;
  const { $runIndex } = context.getWorkflowDataProxy(index);
  const place = [context.getInstanceId(), context.getWorkflow().id, execution, context.getNode().id, $runIndex, index];
  const hash = createHash('sha256').update(JSON.stringify(place));
  for (const part of content) hash.update(part);
  return `n8n-${hash.digest('hex')}`;
};

const readInput = (context, index, { fields }) => {
  const optional = context.getNodeParameter('fields', index, {});
  const entries = fields.map((field) => [
    field,
    field.required ? context.getNodeParameter(field.name, index) : optional[field.name],
  ]);
  return Object.fromEntries(
    entries.flatMap(([field, value]) => (value === undefined ? [] : [[field.name, readValue(field, value)]])),
  );
};

/** Expressions yield typed values; what a person types is a string. */
const readValue = ({ type }, value) => {
  if (typeof value !== 'string') return value;
  if (type === 'list') return value.split(',').flatMap((part) => part.trim() || []);
  return type === 'json' ? JSON.parse(value) : value;
};

/** Only a person approves. Over MCP the same call becomes a request that waits for one, with the page where to decide. */
const ask = async (context, index, { name }, input) => {
  const params = { name: name.replace('.', '_'), arguments: input };
  const answer = await send(context, '/mcp', { json: { jsonrpc: '2.0', id: 1, method: 'tools/call', params } });
  const { result, error } = bodyOf(context, index, answer);
  const text = error?.message ?? result.content.map((part) => part.text ?? '').join('\n');
  if (error !== undefined || result.isError) throw refusal(context, index, { message: text });
  return { status: 'pending_approval', ...result.structuredContent, message: text };
};

const upload = async (context, index) => {
  const property = context.getNodeParameter('binaryProperty', index);
  const alt = context.getNodeParameter('alt', index, '');
  const { fileName = 'file', mimeType } = context.helpers.assertBinaryData(index, property);
  const form = new FormData();
  const bytes = await context.helpers.getBinaryDataBuffer(index, property);
  if (alt !== '') form.set('alt', alt);
  form.set('file', new Blob([bytes], { type: mimeType }), fileName);
  const encoded = new Response(form);
  const answer = await send(context, '/api/media', {
    key: keyOf(context, index, 'media.upload', alt, bytes),
    type: encoded.headers.get('content-type'),
    body: Buffer.from(await encoded.arrayBuffer()),
  });
  return bodyOf(context, index, answer);
};

const send = async (
  context,
  path,
  { json, key, type = 'application/json', body = Buffer.from(JSON.stringify(json)) },
) => {
  const { url } = await context.getCredentials('posthornApi');
  const answer = await context.helpers.httpRequestWithAuthentication.call(context, 'posthornApi', {
    method: 'POST',
    url: url.replace(/\/+$/, '') + path,
    headers: {
      'content-type': type,
      accept: 'application/json, text/event-stream',
      ...(key && { 'idempotency-key': key }),
    },
    body,
    encoding: 'text',
    returnFullResponse: true,
    ignoreHttpStatusErrors: true,
  });
  return { statusCode: answer.statusCode, body: parse(answer.body) };
};

/** A proxy in front of Posthorn may answer with a page. */
const parse = (text) => {
  try {
    return typeof text === 'string' ? JSON.parse(text) : text;
  } catch {
    return { message: 'The answer is not from Posthorn: check the address in the credentials.' };
  }
};

const bodyOf = (context, index, { statusCode, body }) => {
  if (statusCode >= 200 && statusCode < 300) return body;
  throw refusal(context, index, body, String(statusCode));
};

const request = async (context, path, input) => bodyOf(context, 0, await send(context, path, { json: input }));

/** The message says what is wrong and what to do; `issues` name the fields. */
const refusal = (context, itemIndex, { message = 'There was no answer.', issues = [] }, httpCode) =>
  new NodeApiError(
    context.getNode(),
    { message },
    {
      message,
      description: issues.map(({ path, message: issue }) => [path, issue].filter(Boolean).join(' ')).join('\n'),
      httpCode,
      itemIndex,
    },
  );

module.exports = { Posthorn };
