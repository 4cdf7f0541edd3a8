import { toJsonSchema } from '@valibot/to-json-schema';
import { isOptional, notesOf, requiredOf, type Schema } from '../schema.js';
import { allVerbs } from '../verbs/registry.js';
import type { AgentNotes, AnyVerb, Verb } from '../verbs/verb.js';

/** A verb that coding agents have as a tool. */
export type AgentVerb = Verb & { readonly agent: AgentNotes };

/** A tool, as a list of tools describes it. */
export interface Tool {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly inputSchema: ToolSchema;
  readonly outputSchema?: ToolSchema;
  readonly annotations: object;
}

interface ToolSchema {
  readonly [keyword: string]: unknown;
  readonly type: 'object';
}

/** Length of a list unless the agent asks for another. (Our choice: agents pay for each line.) */
export const limitUsual = 20;

/** Returns the verbs that an agent has as tools, all or only those that change nothing. */
export function agentVerbs(isReadOnly: boolean): readonly AgentVerb[] {
  return allVerbs.filter(isAgentVerb).filter(({ changes }) => !isReadOnly || changes === 'nothing');
}

function isAgentVerb(verb: AnyVerb): verb is AgentVerb {
  return verb.agent !== undefined && !verb.sends;
}

/** Returns the name of the tool of a verb: `request_list`. */
export function toolName({ name }: Pick<AnyVerb, 'name'>): string {
  return name.replace(/[ -]/g, '_');
}

/** Returns the tool of a verb; `hasOutput` adds the schema of its answer, which takes more room than the rest. */
export function toolOf(verb: AgentVerb, hasOutput = false): Tool {
  const { name, does, agent, takes, changes, answers } = verb;
  const fields = Object.entries(takes) as readonly (readonly [string, Schema])[];
  const required = fields.filter(([, schema]) => !isOptional(schema)).map(([field]) => field);
  return {
    name: toolName(verb),
    title: `${name.charAt(0).toUpperCase()}${name.slice(1)}`,
    description: `${does} ${agent.when}`,
    inputSchema: {
      type: 'object',
      additionalProperties: false,
      properties: Object.fromEntries(fields.map(([field, schema]) => [field, fieldSchema(field, schema)])),
      ...(required.length > 0 && { required }),
    },
    ...(hasOutput && { outputSchema: { ...jsonSchemaOf(answers), type: 'object' } }),
    annotations:
      changes === 'nothing'
        ? { readOnlyHint: true, openWorldHint: false }
        : {
            readOnlyHint: false,
            destructiveHint: agent.destroys ?? false,
            idempotentHint: agent.repeats ?? false,
            openWorldHint: false,
          },
  };
}

/** Returns the schema of a field, with an example, but without patterns: a rejection says in words what is wanted. */
function fieldSchema(field: string, schema: Schema): object {
  const { example } = notesOf(schema);
  const json = withoutNotes(jsonSchemaOf(requiredOf(schema))) as {
    readonly type?: string;
    readonly description?: string;
  };
  const { type, description = '' } = json;
  const shown = field === 'limit' ? description.replace(/\(default: \d+\)/, `(default: ${limitUsual})`) : description;
  return { ...json, description: shown, ...(type === 'string' && example !== undefined && { examples: [example] }) };
}

/** What a schema has for people at a command line, and patterns. */
const notes: ReadonlySet<string> = new Set([
  'pattern',
  'value',
  'wanted',
  'joins',
  'isSecret',
  'example',
  'file',
  'title',
]);

function withoutNotes(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(withoutNotes);
  if (typeof schema !== 'object' || schema === null) return schema;
  const kept = Object.entries(schema).filter(([keyword]) => !notes.has(keyword));
  return Object.fromEntries(kept.map(([keyword, value]) => [keyword, withoutNotes(value)]));
}

/** Returns a schema as JSON Schema of the draft 2020-12, without the name of the draft. */
export function jsonSchemaOf(schema: Schema): object {
  const { $schema: _, ...json } = toJsonSchema(schema as never, { target: 'draft-2020-12', errorMode: 'ignore' });
  return json;
}
