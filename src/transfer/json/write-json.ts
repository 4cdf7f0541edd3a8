import { type EntityText, writeMember } from '../../entity/stored/entity.js';
import { escapeForJson } from '../../entity/stored/json-text.js';
import { readProperties, withoutKeyPlaces } from '../../entity/stored/read-property.js';
import type { AccessPolicy } from '../../protocol/access/access-policy.js';
import { type ExportedPart, writeTableHeader } from '../table-header.js';

const [keysAt, timestampAt] = [',"PartitionKey":"', ',"Timestamp":"'] as const;

/** Returns a function that writes stored entities as JSON, without ETag and Timestamp. `select` names the properties. */
function entityWriter(select: readonly string[] | undefined): (text: EntityText) => string {
  if (!select) return (text) => `{${keysOf(text)}${propertiesOf(text)}`;
  const names = new Set(select);
  return (text) => {
    const members = readProperties(text)
      .filter(({ name }) => names.has(name))
      .map(({ name, type, json }) => writeMember(escapeForJson(name), type, json));
    return `{${keysOf(text)}${members.join('')}}`;
  };
}

/** Returns the members of the keys. No name of a member can be in a value, where every quote follows a backslash. */
function keysOf(text: EntityText): string {
  return text.slice(text.indexOf(keysAt) + 1, text.indexOf(timestampAt));
}

/** Returns the members of the properties, with the comma before each, and the brace at the end. */
function propertiesOf(text: EntityText): string {
  const at = text.indexOf(timestampAt) + timestampAt.length;
  return withoutKeyPlaces(text.slice(text.indexOf('"', at) + 1));
}

/** The form of an export. */
export interface ExportForm {
  readonly hasAccounts: boolean;
  /** The properties to write beside the keys. Absent: all. */
  readonly select: readonly string[] | undefined;
}

/** Writes NDJSON: a line for each table, and after it one for each of its entities. */
export async function* writeNdjson(
  parts: AsyncIterable<ExportedPart>,
  { hasAccounts, select }: ExportForm,
): AsyncGenerator<string> {
  const write = entityWriter(select);
  for await (const part of parts) {
    if (part.kind === 'entities') yield part.texts.map((text) => `${write(text)}\n`).join('');
    else {
      const { account, name, policies } = part;
      yield `${writeTableHeader({ name, policies, ...(hasAccounts && { account }) })}\n`;
    }
  }
}

/** Writes one JSON document: `{"tables":{NAME:[entity, …]},"policies":{NAME:[policy, …]}}`, an entity a line. */
export async function* writeJson(
  parts: AsyncIterable<ExportedPart>,
  { select }: Pick<ExportForm, 'select'>,
): AsyncGenerator<string> {
  const write = entityWriter(select);
  const policies = new Map<string, readonly AccessPolicy[]>();
  let [hasTable, hasRow] = [false, false];
  yield '{"tables":{';
  for await (const part of parts) {
    if (part.kind === 'table') {
      yield `${hasTable ? '\n],' : ''}\n${JSON.stringify(part.name)}:[`;
      if (part.policies.length > 0) policies.set(part.name, part.policies);
      [hasTable, hasRow] = [true, false];
    } else {
      yield part.texts.map((text, at) => `${hasRow || at > 0 ? ',' : ''}\n${write(text)}`).join('');
      hasRow ||= part.texts.length > 0;
    }
  }
  yield hasTable ? '\n]}' : '}';
  yield policies.size > 0 ? `,"policies":${JSON.stringify(Object.fromEntries(policies))}}\n` : '}\n';
}
