import { readdir, readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readConfig } from '#server/base/config/config';
import type { DueLoop } from '#server/base/jobs/due-loop';
import { dueWork } from '#server/base/jobs/due-work';
import { createRegistry } from '#server/base/registry';
import { openCore } from '#server/wiring/open-core';
import { urlOf } from '#test/support/database';
import { type Service, startService } from '#test/support/service';

const server = resolve(import.meta.dirname, '../../server');

describe('the registry', () => {
  const chore = { every: '1 hour', run: () => undefined };
  const loop = {} as DueLoop;
  const column = { table: 'accounts', column: 'tokens' };

  test.each([
    ['route', { routes: { listPosts: () => undefined } }, 'listPosts'],
    ['loop', { loops: { posts: loop } }, 'posts'],
    ['chore', { chores: { 'remove old posts': chore } }, 'remove old posts'],
    ['kind of due work', { due: { posts: async () => undefined } }, 'posts'],
    ['sealed column', { sealed: [column as never] }, 'accounts.tokens'],
    ['discard', { discards: { 'accounts.tokens': async () => undefined } }, 'accounts.tokens'],
    ['check', { checks: { posts: async () => ({}) as never } }, 'posts'],
  ])('refuses a %s that another slice brings already, and names both', (kind, slice, name) => {
    const registry = createRegistry();
    registry.open('posts', slice);
    expect(() => registry.open('media', slice)).toThrow(
      `posts and media both bring the ${kind} "${name}"; rename one of them`,
    );
  });

  test('refuses what joins after the others of its kind are in use', () => {
    const registry = createRegistry();
    registry.open('posts', { chores: { 'remove old posts': chore } });
    expect(Object.keys(registry.chores())).toEqual(['remove old posts']);
    registry.open('media', { routes: { listMedia: () => undefined } });
    expect(() => registry.open('labels', { chores: { 'remove old labels': chore } })).toThrow(
      'labels brings the chore "remove old labels" too late; open it before they are used',
    );
  });

  test('refuses a slice that is opened twice', () => {
    const registry = createRegistry();
    registry.open('posts', {});
    expect(() => registry.open('posts', {})).toThrow('the slice posts is opened twice');
  });

  test('refuses to serve when a declared route has no handler, or due work no loop', () => {
    const registry = createRegistry();
    const listPosts = () => undefined;
    registry.open('posts', { routes: { listPosts }, loops: { posts: loop } });
    expect(registry.routes(['listPosts'])).toEqual({ listPosts });
    expect(() => registry.routes(['listPosts', 'readPost'])).toThrow('no slice brings the route readPost');
    expect(() => registry.loops()).toThrow(/^no slice brings the loop sends, deliveries, /);
    expect(() => registry.due()).toThrow(/^no slice brings the kind of due work posts, sends, /);
  });

  test('closes what was opened in reverse order, once, and goes on when one fails', async () => {
    const registry = createRegistry();
    const closed: string[] = [];
    const slice = (name: string) => ({ close: () => void closed.push(name) });
    registry.open('posts', slice('posts'));
    registry.open('media', {
      close: () => {
        throw new Error('the disk is gone');
      },
    });
    registry.open('accounts', slice('accounts'));
    await expect(registry.close()).rejects.toThrow('the disk is gone');
    await registry.close();
    expect(closed).toEqual(['accounts', 'posts']);
  });
});

describe('the service', () => {
  let service: Service;

  beforeAll(async () => {
    service = await startService();
  });
  afterAll(() => service?.stop());

  /** Files whose text matches, as `room/slice/file`. */
  const filesWith = async (pattern: RegExp) => {
    const files = await readdir(server, { recursive: true });
    const sources = files.filter((file) => file.endsWith('.ts'));
    const texts = await Promise.all(sources.map(async (file) => [file, await readFile(join(server, file), 'utf8')]));
    return texts.filter(([, text = '']) => pattern.test(text)).map(([file = '']) => file);
  };
  /** `posts` of `writing/posts/slice.ts`. A room of one slice has no folder between. */
  const nameOf = (file: string) => file.replace(/^[\w-]+\/(?=[\w-]+\/)/, '').replace(/(\/slice)?\.ts$/, '');

  test('has opened every folder with a slice, and every part of one that is opened apart', async () => {
    const slices = (await filesWith(/^export const open\w+ = /m)).filter((file) => /\/slice\.ts$/.test(file));
    expect(slices.length).toBeGreaterThan(25);
    const folders = slices.map(nameOf);
    const inspections = (await filesWith(/^export const open\w+Inspection = /m)).map(nameOf);
    expect(inspections.length).toBeGreaterThan(4);
    const names = service.posthorn.registry.names();
    expect([...folders, ...inspections].filter((name) => !names.has(name))).toEqual([]);
  });

  test('runs every chore that a slice names', async () => {
    const files = await filesWith(/\bevery: '\d+ \w+'/);
    const texts = await Promise.all(files.map((file) => readFile(join(server, file), 'utf8')));
    const names = texts.flatMap((text) =>
      Array.from(text.matchAll(/'([^']+)':\s*\{\s*every: '/g), ([, name = '']) => name),
    );
    // The process adds this one itself once it knows which identity provider is in use.
    const ofProcess = 'remove expired records of the identity provider';
    expect(names).toContain(ofProcess);
    expect(Object.keys(service.posthorn.chores).toSorted()).toEqual(
      names.filter((name) => name !== ofProcess).toSorted(),
    );
  });

  test('has a loop for each kind of due work, and says when it is due next', () => {
    const { registry } = service.posthorn;
    expect(Object.keys(registry.loops())).toEqual(Object.keys(dueWork));
    expect(Object.keys(registry.due())).toEqual(Object.keys(dueWork));
  });

  test('and a command agree on what is due, sealed and checked', async () => {
    const config = readConfig({ POSTHORN_DATA: service.config.dataDir, DATABASE_URL: urlOf(service.parts) });
    const { core, close } = await openCore(config);
    try {
      const { registry } = service.posthorn;
      const places = (columns: readonly { table: string; column: string }[]) =>
        columns.map(({ table, column }) => `${table}.${column}`);
      expect(places(core.registry.sealed())).toEqual(places(registry.sealed()));
      expect(Object.keys(core.registry.due())).toEqual(Object.keys(registry.due()));
      expect(Object.keys(core.registry.checks())).toEqual(Object.keys(registry.checks()));
    } finally {
      await close();
    }
  });
});
