import { z } from 'zod';
import type { Declared } from './contracts.ts';

interface PagedList {
  /** The field of the output that has the items. */
  readonly field: string;
  readonly element: z.ZodType;
  /** The field of the input that asks for another list instead, which a walk through all items does not take. */
  readonly chosenBy?: string;
}

/** The list in the output of an action that answers in pages: a cursor goes in, nextCursor and one list come out. */
export const pagedList = ({ input, output }: Declared['action']): PagedList | undefined => {
  if (!('cursor' in input.shape && 'nextCursor' in output.shape)) return undefined;
  const lists = Object.entries(output.shape).flatMap(([field, schema]) =>
    schema instanceof z.ZodArray ? [{ field, element: schema.element as z.ZodType }] : [],
  );
  const [list] = lists;
  if (list === undefined || lists.length > 1) return undefined;
  return { ...list, ...('view' in input.shape && { chosenBy: 'view' }) };
};
