import type { Database } from '#server/base/store/database';
import { createOpenPage } from './open-page.ts';
import { createUiStore } from './store.ts';

export const openUi = ({ database }: { database: Database }) => ({
  openPage: createOpenPage({ store: createUiStore(database) }),
});
