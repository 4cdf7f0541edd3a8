import { readMembers, splitMembers } from '../../entity/body/read-entity.js';
import { type JsonMember, readJsonObject } from '../../entity/body/read-json.js';
import type { SentEntity } from '../../entity/body/sent-entity.js';
import { readJsonString, writeJsonString } from '../../entity/stored/json-text.js';
import { TableError } from '../../protocol/errors.js';
import { readGuid } from '../../protocol/values/guid.js';
import { ownText } from '../../remembered.js';
import { StateFault } from '../../state/state-fault.js';
import type { TransferItem } from '../import/transfer-item.js';
import { checkPolicies, TableHeaderFault } from '../table-header.js';
import { type JsonPath, type JsonPiece, readName } from './cut-json.js';
import { readKeys } from './read-ndjson.js';

/** The collection with the tables of all accounts. */
const tablesCollection = '$TABLES_COLLECTION$';

/**
 * Reads the data file of Azurite's tables, `__azurite_db_table__.json`. It has a collection of the tables, and one for each table
 * with the name `account$table`. Files that Azurite 3.37.0 wrote show this form.
 */
export class AzuriteReader {
  /** The name of the collection that is read, as far as it is known. */
  #collection: string | undefined;
  /** The position of that collection. */
  #at: JsonPath[number] | undefined;
  #hasTables = false;

  /**
   * Returns what a piece of `collections` holds. Errors: StateFault for entities that come before the name of their table, and
   * for a name that is not JSON.
   */
  read({ path, text, isEntered, line, column }: JsonPiece): readonly TransferItem[] {
    const [, at, member] = path;
    if (at !== this.#at) this.#collection = undefined;
    this.#at = at;
    // A collection or a list of data that is none.
    if (isEntered || (member !== 'name' && path.length < 4)) return [];
    if (text === undefined) return [{ kind: 'unreadable', line, column, error: new TableError('RequestBodyTooLarge') }];
    if (member === 'name') {
      const name = text.startsWith('"') ? readName(text, line) : '';
      this.#collection = name;
      this.#hasTables ||= name === tablesCollection;
      return isOfTable(name) ? [tableOf(name, line)] : [];
    }
    if (this.#collection === undefined) {
      throw new StateFault(
        'invalid',
        `Line ${line}: the collection has data before its name. Azurite does not write such a file.`,
      );
    }
    if (this.#collection === tablesCollection) return [readTable(text, line)];
    if (!isOfTable(this.#collection)) return [];
    const [read, columnOf] = [() => readEntity(text), () => column];
    return [{ kind: 'entity', line, units: text.length, read, readKeys: () => readKeys(text), columnOf }];
  }

  /** Checks that there was a list of tables. Errors: StateFault, as for Azurite's files of blobs and queues. */
  end(): void {
    if (this.#hasTables) return;
    throw new StateFault('invalid', 'The file has no tables. Azurite keeps them in __azurite_db_table__.json.');
  }
}

/** Returns whether a collection has the entities of a table. */
function isOfTable(collection: string): boolean {
  return collection.indexOf('$') > 0;
}

/** No account has `$` in its name. */
function tableOf(collection: string, line: number): TransferItem {
  const at = collection.indexOf('$');
  // The store keeps the name, but must not keep an account of megabytes with it.
  return { kind: 'table', line, account: collection.slice(0, at), name: ownText(collection.slice(at + 1)) };
}

function readTable(text: string, line: number): TransferItem {
  try {
    const { account, table, tableAcl = [] } = parseObject(text);
    if (typeof account !== 'string' || typeof table !== 'string') throw new TableHeaderFault('The table has no name.');
    if (!Array.isArray(tableAcl)) throw new TableHeaderFault('The stored access policies are not a list.');
    const policies = tableAcl.map((one) => ({ id: one?.id, ...one?.accessPolicy }));
    return {
      kind: 'table',
      line,
      account,
      name: table,
      ...(policies.length > 0 && { policies: checkPolicies(policies) }),
    };
  } catch (error) {
    return { kind: 'unreadable', line, error: error instanceof Error ? error : new Error(String(error)) };
  }
}

/** Reads an entity. Errors: TableError, as for a request with its properties. */
function readEntity(text: string): SentEntity {
  const { PartitionKey, RowKey, properties } = parseObject(text);
  const sent = { ...(typeof properties === 'object' && properties), PartitionKey, RowKey };
  const { values, types } = splitMembers(readJsonObject(textOf(sent)));
  const typeOf = new Map(types.map(({ name, json }) => [name, json]));
  return readMembers(
    values.map((member) => (typeOf.get(member.name) === '"Edm.Guid"' ? decodeGuid(member) : member)),
    types,
  );
}

/** Writes an object as JSON. Errors: TableError for one with more levels than that is possible for. */
function textOf(sent: object): string {
  try {
    return JSON.stringify(sent);
  } catch {
    throw new TableError('InvalidInput');
  }
}

/** The members of an entity and of a table in the list of tables. */
interface StoredMembers {
  readonly PartitionKey?: unknown;
  readonly RowKey?: unknown;
  readonly properties?: unknown;
  readonly account?: unknown;
  readonly table?: unknown;
  readonly tableAcl?: unknown;
}

/** Parses an object. Errors: TableError for anything else. */
function parseObject(text: string): StoredMembers {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new TableError('InvalidInput');
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new TableError('InvalidInput');
  return value;
}

/** Decodes a Guid: Azurite keeps the text of most of them in base64. */
function decodeGuid(member: JsonMember): JsonMember {
  if (member.kind !== 'string') return member;
  const stored = readJsonString(member.json);
  const decoded = Buffer.from(stored, 'base64').toString('latin1');
  const isEncoded = readGuid(stored) === undefined && readGuid(decoded) !== undefined;
  return isEncoded ? { ...member, json: writeJsonString(decoded) } : member;
}
