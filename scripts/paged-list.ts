import { z } from 'zod';
import type { DeclaredAction } from './contracts.ts';

interface PagedList {
  /** The field of the output that has the items. */
  readonly field: string;
  readonly element: z.ZodType;
  /** The input field that selects another view, which the method over all items does not accept. */
  readonly chosenBy?: string;
}

/** The list of a paged action: one with a cursor in its input, and nextCursor and exactly one list in its output. */
export const pagedList = ({ input, output }: DeclaredAction['action']): PagedList | undefined => {
  if (!('cursor' in input.shape && 'nextCursor' in output.shape)) return undefined;
  const lists = Object.entries(output.shape).flatMap(([field, schema]) =>
    schema instanceof z.ZodArray ? [{ field, element: schema.element as z.ZodType }] : [],
  );
  const [list] = lists;
  if (list === undefined || lists.length > 1) return undefined;
  return { ...list, ...('view' in input.shape && { chosenBy: 'view' }) };
};
