import { vi } from 'vitest';

export interface ServiceStatement {
  readonly name: string;
  readonly text: string;
}

/**
 * Every statement of the service, as sent to PostgreSQL. Modules are reset before, because earlier test files in this
 * process have loaded the service, and after, because later ones need it without the mock.
 */
export const readStatements = async (): Promise<ServiceStatement[]> => {
  const statements: ServiceStatement[] = [];
  const actual = await import('#server/base/store/database');
  vi.resetModules();
  vi.doMock('#server/base/store/database', () => ({
    ...actual,
    sql: (name: string, text: string) => {
      statements.push({ name, text });
      return actual.sql(name, text);
    },
  }));
  await import('#server/wiring/open-service');
  // Those of commands.
  await import('#server/operation/backup/backup-store');
  await import('#server/operation/backup/verify-store');
  await import('#server/wiring/demo/store');
  await import('#server/base/store/other-sessions');
  vi.doUnmock('#server/base/store/database');
  vi.resetModules();
  return statements;
};
