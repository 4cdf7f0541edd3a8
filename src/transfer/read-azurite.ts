import { readJsonString, writeJsonString } from '../entity/json-text.js';
import { readMembers, splitMembers } from '../entity/read-entity.js';
import type { JsonMember } from '../entity/read-json.js';
import type { SentEntity } from '../entity/sent-entity.js';
import { TableError } from '../protocol/errors.js';
import { readGuid } from '../protocol/guid.js';
import type { JsonPiece } from './cut-json.js';
import { checkPolicies } from './table-header.js';
import type { TransferItem } from './transfer-item.js';

/** The collection with the tables of all accounts. */
const tablesCollection = '$TABLES_COLLECTION$';

/** A table as the data file has it. */
interface StoredTable {
  readonly account?: unknown;
  readonly table?: unknown;
  readonly tableAcl?: readonly { readonly id?: unknown; readonly accessPolicy?: object }[];
}

/**
 * Reads the data file of Azurite's tables, `__azurite_db_table__.json`. It has a collection of the tables, and one for each table
 * with the name `account$table`. Files that Azurite 3.37.0 wrote show this form.
 */
export class AzuriteReader {
  #collection = '';

  /** Returns what a piece of `collections` holds. */
  read({ path, text, isEntered, line, column }: JsonPiece): readonly TransferItem[] {
    if (isEntered) return [];
    if (text === undefined) return [{ kind: 'unreadable', line, column, error: new TableError('RequestBodyTooLarge') }];
    if (path[2] === 'name') {
      this.#collection = readJsonString(text);
      return this.#collection.startsWith('$') ? [] : [tableOf(this.#collection, line)];
    }
    if (this.#collection === tablesCollection) return [readTable(text, line)];
    if (this.#collection.startsWith('$')) return [];
    return [{ kind: 'entity', line, read: () => readEntity(text), columnOf: () => column }];
  }
}

/** No account has `$` in its name. */
function tableOf(collection: string, line: number): TransferItem {
  const at = collection.indexOf('$');
  return { kind: 'table', line, account: collection.slice(0, at), name: collection.slice(at + 1) };
}

function readTable(text: string, line: number): TransferItem {
  try {
    const { account, table, tableAcl = [] } = JSON.parse(text) as StoredTable;
    const policies = tableAcl.map(({ id, accessPolicy }) => ({ id, ...accessPolicy }));
    const isListed = policies.length > 0;
    const named = { line, account: String(account), name: String(table) };
    return { kind: 'table', ...named, ...(isListed && { policies: checkPolicies(policies) }) };
  } catch (error) {
    return { kind: 'unreadable', line, error: error instanceof Error ? error : new Error(String(error)) };
  }
}

/** Reads an entity. Errors: TableError, as for a request with its properties. */
function readEntity(text: string): SentEntity {
  const { PartitionKey, RowKey, properties } = parse(text);
  const sent = { ...(typeof properties === 'object' && properties), PartitionKey, RowKey };
  const { values, types } = splitMembers(JSON.stringify(sent));
  const typeOf = new Map(types.map(({ name, token }) => [name, 'json' in token ? token.json : '']));
  return readMembers(
    values.map((member) => (typeOf.get(member.name) === '"Edm.Guid"' ? decodeGuid(member) : member)),
    types,
  );
}

function parse(text: string): {
  readonly PartitionKey?: unknown;
  readonly RowKey?: unknown;
  readonly properties?: unknown;
} {
  try {
    return JSON.parse(text);
  } catch {
    throw new TableError('InvalidInput');
  }
}

/** Decodes a Guid: Azurite keeps the text of most of them in base64. */
function decodeGuid(member: JsonMember): JsonMember {
  if (member.token.kind !== 'string') return member;
  const stored = readJsonString(member.token.json);
  const decoded = Buffer.from(stored, 'base64').toString('latin1');
  const isEncoded = readGuid(stored) === undefined && readGuid(decoded) !== undefined;
  return isEncoded ? { ...member, token: { kind: 'string', json: writeJsonString(decoded) } } : member;
}
