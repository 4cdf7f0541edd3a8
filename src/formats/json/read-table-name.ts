import { type JsonMember, readJsonObject } from '../../entity/body/read-json.js';
import { readJsonString } from '../../entity/stored/json-text.js';
import { TableError } from '../../protocol/errors.js';

/**
 * Reads the name of a table from the body of Create Table.
 *
 * Errors: InvalidInput for an empty body, for text that is not a JSON object and for a name that is not a string;
 * DuplicatePropertiesSpecified for two names, PropertiesNeedValue for no name. Source: checks-order 4; operations 8.2.
 */
export function readTableName(body: string): string {
  if (body === '') throw new TableError('InvalidInput', { variant: { name: 'value-unreadable' } });
  return tableNameOf(readJsonObject(body));
}

/** Returns the name of a table among the members of an object. Errors: as `readTableName`. */
export function tableNameOf(all: readonly JsonMember[]): string {
  const members = all.filter(({ name }) => name === 'TableName');
  const [member] = members;
  if (members.length > 1) throw new TableError('DuplicatePropertiesSpecified');
  if (member === undefined || member.kind === 'null') {
    const sent = all.map(({ name }) => name);
    const evidence = () => ({ check: 'member-missing', members: ['TableName'], sent }) as const;
    throw new TableError('PropertiesNeedValue', { evidence });
  }
  if (member.kind !== 'string') throw new TableError('InvalidInput');
  return readJsonString(member.json);
}
