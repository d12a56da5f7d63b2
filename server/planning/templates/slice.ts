import type { Clock } from '#server/base/clock';
import type { Live } from '#server/base/live/live';
import type { Database } from '#server/base/store/database';
import type { Networks } from '#server/networks/registry';
import { templateRoutes } from './routes.ts';
import { createTemplateStore } from './store.ts';
import { createTemplates } from './templates.ts';

export const openTemplates = ({
  database,
  networks,
  live,
  clock,
}: {
  database: Database;
  networks: Networks;
  live: Live;
  clock: Clock;
}) => {
  const templates = createTemplates({ store: createTemplateStore(database), networks, live, clock });
  return { templates, routes: templateRoutes({ templates }) };
};
