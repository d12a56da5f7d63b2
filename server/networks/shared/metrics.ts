import { z } from 'zod';
import type { MetricName } from '#contracts/analytics';

/** Only what the network reported: a missing number is not 0, and an impossible one is left out. */
export const reported = (told: Readonly<Partial<Record<MetricName, unknown>>>): Partial<Record<MetricName, number>> =>
  Object.fromEntries(
    Object.entries(told).filter((one): one is [string, number] => Number.isSafeInteger(one[1]) && Number(one[1]) >= 0),
  );

/**
 * Numbers of which a network may leave out some. Where it names others instead, it has changed its answers, and numbers that are
 * lost without a word would look like a post that nobody sees.
 */
export const numbersNamed = <Name extends string, Count extends z.ZodType>(names: readonly Name[], count: Count) =>
  z
    .looseObject(
      Object.fromEntries(names.map((name) => [name, count.optional()])) as Record<Name, z.ZodOptional<Count>>,
    )
    .refine((told) => Object.keys(told).length === 0 || names.some((name) => told[name] !== undefined));
