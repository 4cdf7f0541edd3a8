import { jsonSchemaOf } from '../../mcp/tool-of.js';
import { lowerAscii } from '../../protocol/names.js';
import { isOptional, notesOf } from '../../schema.js';
import type { AnyVerb } from '../../verbs/verb.js';
import { routeOf } from '../../verbs/verb-row.js';
import { ownVersion } from '../../version.js';
import { controlRoot } from '../../wire/reserved-endpoints.js';

/** Returns the OpenAPI 3.1 description of the verbs. */
export function writeOpenApi(verbs: readonly AnyVerb[]): object {
  const paths: Record<string, Record<string, object>> = {};
  for (const verb of verbs) {
    const [method, path] = routeOf(verb);
    const whole = `${controlRoot}${path}`;
    paths[whole] = { ...paths[whole], [lowerAscii(method)]: operationOf(verb) };
  }
  return { openapi: '3.1.0', info: { title: 'Tabularium', version: ownVersion() }, paths };
}

function operationOf(verb: AnyVerb): object {
  const { name, does, notes, takes, answers, changes } = verb;
  const [method, path] = routeOf(verb);
  const hasBody = !verb.uploads && (method === 'POST' || method === 'PUT');
  const fields = Object.entries(takes);
  const inPath = (field: string) => path.includes(`{${field}}`);
  const parameters = fields
    .filter(([field]) => inPath(field) || !hasBody)
    .map(([field, schema]) => ({
      name: field,
      in: inPath(field) ? 'path' : 'query',
      required: !isOptional(schema),
      description: notesOf(schema).description,
      schema: jsonSchemaOf(schema),
    }));
  const inBody = fields.filter(([field]) => hasBody && !inPath(field));
  const body = {
    type: 'object',
    additionalProperties: false,
    properties: Object.fromEntries(inBody.map(([field, schema]) => [field, jsonSchemaOf(schema)])),
    required: inBody.filter(([, schema]) => !isOptional(schema)).map(([field]) => field),
  };
  const types =
    verb.sends === 'file' ? verb.types : [verb.sends === 'lines' ? 'application/x-ndjson' : 'application/json'];
  return {
    operationId: name.replace(/ (\w)/g, (_, letter: string) => letter.toUpperCase()),
    summary: does,
    ...(notes !== undefined && { description: notes }),
    'x-changes': changes,
    ...(parameters.length > 0 && { parameters }),
    ...(hasBody && { requestBody: { content: { 'application/json': { schema: body } } } }),
    ...(verb.uploads && { requestBody: { content: { 'application/octet-stream': {} } } }),
    responses: {
      '200': {
        description: notesOf(answers).description ?? 'The answer.',
        content: {
          ...Object.fromEntries(types.map((type) => [type, { schema: jsonSchemaOf(answers) }])),
          ...(!verb.sends && verb.textOf && { 'text/plain': { schema: { type: 'string' } } }),
        },
      },
      '400': { description: 'The input does not match; `error` says where.' },
    },
  };
}
