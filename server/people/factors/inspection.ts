import type { Database } from '#server/base/store/database';
import { sealedInFactors } from './factor-store.ts';

export const openFactorInspection = ({ database }: { database: Database }) => ({ sealed: sealedInFactors(database) });
