import { z } from 'zod';

/** JSON Schema of an action's input for agents: self-contained, with our descriptions, without zod's noise. */
export const inputJsonSchema = (schema: z.ZodType): Record<string, unknown> => {
  const { $schema: _, ...json } = z.toJSONSchema(schema, {
    io: 'input',
    unrepresentable: 'throw',
    // Without ids nothing becomes a $ref, so that agents read one self-contained schema.
    metadata: z.registry(),
    override: ({ jsonSchema, zodSchema }) => {
      const description = z.globalRegistry.get(zodSchema)?.description;
      if (description) jsonSchema.description = description;
      tidy(jsonSchema);
    },
  });
  return json;
};

/** Removes noise that zod adds: a 300-character pattern for a date-time, the bounds of a safe integer. */
export const tidy = (schema: {
  format?: unknown;
  pattern?: unknown;
  maximum?: unknown;
  minimum?: unknown;
  propertyNames?: unknown;
}) => {
  if (schema.format !== undefined) delete schema.pattern;
  if (schema.maximum === Number.MAX_SAFE_INTEGER) delete schema.maximum;
  if (schema.minimum === Number.MIN_SAFE_INTEGER) delete schema.minimum;
  delete schema.propertyNames;
};
