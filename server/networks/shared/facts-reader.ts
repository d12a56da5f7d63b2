import type { z } from 'zod';
import type { Json } from '#server/networks/network';

/** Parses the facts of an account with a schema, once per account: a forecast needs them for each of its posts. */
export const createFactsReader = <Schema extends z.ZodType>(schema: Schema) => {
  const cache = new WeakMap<object, z.output<Schema> | undefined>();
  return (facts: Json | undefined): z.output<Schema> | undefined => {
    if (typeof facts !== 'object' || facts === null) return schema.safeParse(facts).data;
    if (!cache.has(facts)) cache.set(facts, schema.safeParse(facts).data);
    return cache.get(facts);
  };
};
