import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import type { Action } from '#contracts/define';
import { sameInstant } from '#server/posts/drafts';

type Input = Readonly<Record<string, unknown>>;

/** Whether two inputs of this action ask for the same. An instant is the same in whatever zone it is written. */
export const sameRequest = ({ input }: Action) => {
  const { properties = {} } = z.toJSONSchema(input, { io: 'input' });
  const isInstant = (field: string) => JSON.stringify(properties[field]).includes('"format":"date-time"');
  const fields = Object.keys(properties).map((field) => ({ field, instant: isInstant(field) }));
  return (one: Input, other: Input) =>
    fields.every(({ field, instant }) => {
      const [a, b] = [one[field], other[field]];
      return (
        isDeepStrictEqual(a, b) || (instant && typeof a === 'string' && typeof b === 'string' && sameInstant(a, b))
      );
    });
};
