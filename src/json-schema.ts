import { toJsonSchema } from '@valibot/to-json-schema';
import type { Schema } from './schema.js';

/** Returns a schema as JSON Schema of the draft 2020-12, without the name of the draft. */
export function jsonSchemaOf(schema: Schema): object {
  const { $schema: _, ...json } = toJsonSchema(schema as never, { target: 'draft-2020-12', errorMode: 'ignore' });
  return json;
}
