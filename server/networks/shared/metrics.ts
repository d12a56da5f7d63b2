import { z } from 'zod';
import type { MetricName } from '#contracts/analytics';

/** Only what the network reported: a missing number is not 0, and an impossible one is left out. */
export const reported = (counts: Readonly<Partial<Record<MetricName, unknown>>>): Partial<Record<MetricName, number>> =>
  Object.fromEntries(
    Object.entries(counts).filter(
      (one): one is [string, number] => Number.isSafeInteger(one[1]) && Number(one[1]) >= 0,
    ),
  );

/**
 * A network may omit some of these counts. If it sends other fields and none of these, its API has changed: fail, because
 * silently missing numbers would look like a post that nobody sees.
 */
export const numbersNamed = <Name extends string, Count extends z.ZodType>(names: readonly Name[], count: Count) =>
  z
    .looseObject(
      Object.fromEntries(names.map((name) => [name, count.optional()])) as Record<Name, z.ZodOptional<Count>>,
    )
    .refine((counts) => Object.keys(counts).length === 0 || names.some((name) => counts[name] !== undefined));
