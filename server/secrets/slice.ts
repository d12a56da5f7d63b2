import type { SealedColumn } from '#server/store/sealed-column';
import { createResealing } from './resealing.ts';
import type { Seal } from './seal.ts';

export const openSecrets = (parts: {
  columns: readonly SealedColumn[];
  seal: Seal;
  report: (error: unknown) => void;
}) => {
  const resealing = createResealing(parts);
  return { resealing, chores: { 'seal anew what an old key sealed': { every: '1 hour', run: resealing.run } } };
};
