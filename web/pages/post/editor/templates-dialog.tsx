import { lazy, Suspense } from 'react';
import type { Templating } from './use-templating.ts';

const Templates = lazy(() => import('./templates.tsx'));

/** Loaded on demand. */
export const TemplatesDialog = ({ templating }: { templating: Templating }) => (
  <Suspense>{templating.opened !== undefined && <Templates templating={templating} />}</Suspense>
);
