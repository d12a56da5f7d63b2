import { newId } from '#server/base/ids';
import { sql } from '#server/base/store/database';
import type { Service } from './service.ts';

export type Person = ReturnType<Service['browser']>;

/** An account with this handle. */
export const accountCalled = async (service: Service, network: string, handle: string, workspaceId?: string) => {
  const id = newId('account', service.clock.now());
  await service.database.query(
    sql(
      'test.accountCalled',
      `insert into accounts (id, workspace_id, network, external_id, name, handle, granted_scopes, sandbox)
       values ($1, $2, $3, $1, $4, $4, '{}', true)`,
    ),
    [id, workspaceId ?? service.owner.workspaceId, network, handle],
  );
  return id;
};

/** A dry run of a file, as the page sends it. */
export const tryFile = async (
  service: Service,
  person: Person,
  file: string | Uint8Array<ArrayBuffer>,
  fields: Record<string, string> = {},
) => {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) form.set(name, value);
  form.set('file', new Blob([file]), 'posts.csv');
  const headers = { cookie: person.cookie(), origin: service.config.baseUrl };
  return service.request('POST', '/api/app/imports', { headers, body: form });
};

/** All rows of a report. */
export const rowsOf = async (person: Person, id: string, show = 'all') => {
  const rows = [];
  for (let after: number | undefined = 0; after !== undefined; ) {
    const { body } = await person.get(`/api/app/imports/${id}/rows?show=${show}&after=${after}`);
    rows.push(...body.rows);
    after = body.next;
  }
  return rows;
};

/** Repeats the request until the import is done. Returns the import. */
export const through = async (person: Person, id: string, what: 'save' | 'schedule', input: object = {}) => {
  for (let after = 0; ; ) {
    const { body } = await person.post(`/api/app/imports/${id}/${what}`, { ...input, after });
    if (body.import === undefined) throw new Error(JSON.stringify(body));
    if (body.next === undefined) return body.import;
    after = body.next;
  }
};
