import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { commonErrors, errors } from '#contracts/errors';
import { events } from '#contracts/events';
import { scopes } from '#contracts/scopes';
import { actions, catalog } from '#generated/catalog';
import { mcpTools } from '#generated/mcp-tools';
import { networks } from '#generated/networks';
import { createSampler } from '#scripts/sample';
import { type Actions, findAction, type Handlers, prepareActions, runNow } from '#server/agents/admission';
import type { Caller } from '#server/base/context';

const specTable = `
accounts.list ReadOnly | providers.limits ReadOnly | posts.list ReadOnly | posts.get ReadOnly | posts.create Write
posts.update Write | posts.setVersionText Write | posts.setOption Write | posts.validate ReadOnly
posts.schedule NeedsApproval | posts.publishNow NeedsApproval | posts.delete NeedsApproval | providers.list ReadOnly
accounts.delete NeedsApproval | media.list ReadOnly | posts.metrics ReadOnly | analytics.summary ReadOnly
ui.getContext ReadOnly`;
const spec = specTable
  .trim()
  .split(/[|\n]/)
  .map((entry) => entry.trim().split(' ') as [string, string]);

const sample = createSampler({});

/** Adds an unknown field to every object. `options` is left alone, because networks define its keys. */
const withMore = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(withMore);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).map(([name, inner]) => [name, name === 'options' ? inner : withMore(inner)]);
  return { ...Object.fromEntries(entries), undeclared: 'not "shown"' };
};

describe('the contract', () => {
  test('knows the 13 networks of SPEC', () => {
    const keys =
      'bluesky facebook google_business instagram linkedin linkedin_page mastodon pinterest pixelfed threads tiktok x youtube';
    expect(networks.map(({ key }) => key)).toEqual(keys.split(' '));
    expect(networks).toHaveLength(13);
  });

  test('declares the 18 actions of SPEC with their kinds, and ui.setContext', () => {
    expect(spec).toHaveLength(18);
    const declared = Object.fromEntries(Object.entries(actions).map(([name, { kind }]) => [name, kind]));
    expect(declared).toEqual({ ...Object.fromEntries(spec), 'ui.setContext': 'Write' });
  });

  test('has the eleven error codes with their status', () => {
    expect(Object.entries(errors).map(([code, { status }]) => `${code} ${status}`)).toEqual([
      'BadInput 400',
      'Invalid 400',
      'Unauthorized 401',
      'PlanLimit 402',
      'ApprovalRequired 403',
      'Forbidden 403',
      'NotFound 404',
      'UnknownAction 404',
      'Conflict 409',
      'TooManyRequests 429',
      'Internal 500',
    ]);
  });

  test('has the four events and the four scopes', () => {
    expect(Object.keys(events)).toEqual(['post.published', 'post.failed', 'account.disconnected', 'ping']);
    expect(Object.keys(scopes)).toEqual(['posts:read', 'posts:write', 'posts:publish', 'accounts:manage']);
  });

  test('leaves posts_metrics, analytics_summary and ui_getContext out of the fifteen tools', () => {
    const listed = mcpTools.filter(({ listing }) => listing === 'Listed').map(({ tool }) => tool.name);
    expect(listed).toHaveLength(15);
    expect(listed.toSorted()).toEqual(
      spec
        .slice(0, 15)
        .map(([name]) => name.replace('.', '_'))
        .toSorted(),
    );
  });

  test('gives the hints of SPEC to the tools', () => {
    const hinted = (hint: 'readOnlyHint' | 'destructiveHint' | 'openWorldHint') =>
      mcpTools.filter(({ tool }) => tool.annotations[hint]).map(({ tool }) => tool.name);
    expect(hinted('destructiveHint').toSorted()).toEqual(['accounts_delete', 'posts_delete']);
    expect(hinted('openWorldHint').toSorted()).toEqual(['posts_publishNow', 'posts_schedule']);
    const readOnly = Object.entries(actions).filter(([, { kind, mcp }]) => kind === 'ReadOnly' && mcp !== 'Never');
    expect(hinted('readOnlyHint')).toEqual(readOnly.map(([name]) => name.replace('.', '_')));
  });
});

describe.each(Object.entries(actions))('%s', (name, action) => {
  test('has examples that its own schemas accept', () => {
    expect(action.examples.length).toBeGreaterThan(0);
    for (const { input, output } of action.examples) {
      action.input.parse(input);
      expect(z.strictObject(action.output.shape).parse(output)).toEqual(output);
    }
  });

  test('can be compiled, so that no request pays for an interpreter', () => {
    z.compile(action.input, { strict: true });
    z.compile(action.output, { strict: true });
  });

  test('is answered with exactly the declared fields', async () => {
    const [{ input } = { input: {} }] = action.examples;
    const owner = { role: 'owner', mayPublish: true, isPerson: true } as Caller;
    for (const output of [...action.examples.map((example) => example.output), sample(action.output, 'output')]) {
      const handlers = { [name]: async () => withMore(output) } as unknown as Handlers<Actions>;
      const prepared = findAction(prepareActions({ [name]: action }, handlers, 'https://posthorn.example'), name);
      const answer = await runNow(prepared, prepared.admit(input, owner));
      expect(answer.value).toEqual(output);
    }
  });

  test('describes itself and every field of its input to readers', () => {
    expect(action.summary.length).toBeGreaterThan(5);
    expect(action.description.length).toBeGreaterThan(20);
    const entry = catalog.find((one) => one.name === name);
    const properties = (entry?.inputSchema.properties ?? {}) as Record<string, { description?: string }>;
    for (const [field, schema] of Object.entries(properties)) expect(schema.description, field).toBeTruthy();
  });

  test('has a self-contained JSON Schema that allows no unknown field', () => {
    const entry = catalog.find((one) => one.name === name);
    expect(entry?.inputSchema.additionalProperties).toBe(false);
    expect(JSON.stringify(entry)).not.toMatch(/\$ref|\$schema|\$defs/);
  });

  test('lists the errors it gives beyond the common ones', () => {
    expect(action.errors.filter((code) => (commonErrors as readonly string[]).includes(code))).toEqual([]);
  });
});
