import { AlikeBodies } from '../../entity/body/alike-bodies.js';
import { readMembers, splitMembers } from '../../entity/body/read-entity.js';
import { type JsonMember, readJsonObject } from '../../entity/body/read-json.js';
import type { SentEntity } from '../../entity/body/sent-entity.js';
import { readJsonString, writeJsonString } from '../../entity/stored/json-text.js';
import { TableError } from '../../protocol/errors.js';
import { readGuid } from '../../protocol/values/guid.js';
import { ownText } from '../../remembered.js';
import { StateFault } from '../../state/state-fault.js';
import type { TransferItem, TransferItems } from '../import/transfer-item.js';
import { checkPolicies, TableHeaderFault } from '../table-header.js';
import { cutJson, type JsonPath, type JsonPiece, readName } from './cut-json.js';
import { entityItem, readKeys } from './read-ndjson.js';

/**
 * Reads a JSON document: `{"tables":{NAME:[entity, …]},"policies":{NAME:[policy, …]}}`, a list of entities, a page of a query
 * (`{"value":[…]}`), a page as the Azure CLI prints it (`{"items":[…]}`), or the data file of Azurite.
 *
 * Errors: StateFault for any other document.
 */
export async function* readJsonDocument(texts: AsyncIterable<string>): TransferItems {
  const azurite = new AzuriteReader();
  const bodies = new AlikeBodies();
  let hasFound = false;
  let isOfAzurite = false;
  for await (const pieces of cutJson(texts, choose)) {
    hasFound ||= pieces.some(({ path }) => path.length > 0);
    isOfAzurite ||= pieces.some(({ path }) => path[0] === 'collections');
    yield pieces.flatMap((piece) => (piece.path[0] === 'collections' ? azurite.read(piece) : readPiece(piece, bodies)));
  }
  if (!hasFound) {
    throw new StateFault(
      'invalid',
      'The JSON contains no data. Expected {"tables":{"Name":[…]}} or a list of entities.',
    );
  }
  if (isOfAzurite) azurite.end();
}

/** Chooses the parts of all kinds of documents at once: their names differ. */
function choose(path: JsonPath): 'enter' | 'cut' | 'skip' {
  const [first, second, , fourth] = path;
  switch (path.length) {
    case 0:
      return 'enter';
    case 1:
      if (typeof first === 'number' || first === 'policies') return 'cut';
      return first === 'tables' || first === 'value' || first === 'items' || first === 'collections' ? 'enter' : 'skip';
    case 2:
      return first === 'value' || first === 'items' ? 'cut' : 'enter';
    case 3:
      if (first === 'tables') return 'cut';
      return path[2] === 'name' ? 'cut' : path[2] === 'data' ? 'enter' : 'skip';
    default:
      return typeof second === 'number' && typeof fourth === 'number' ? 'cut' : 'skip';
  }
}

function readPiece({ path, text, isEntered, line, column }: JsonPiece, bodies: AlikeBodies): readonly TransferItem[] {
  const [first, name] = path;
  if (isEntered) return first === 'tables' && typeof name === 'string' ? [{ kind: 'table', line, name }] : [];
  if (text === undefined) return [{ kind: 'unreadable', line, column, error: new TableError('RequestBodyTooLarge') }];
  if (first === 'policies') return readAllPolicies(text, line);
  return [entityItem(text, line, first === 'items' ? azureCli : bodies, column)];
}

/** Returns the tables of all policies again: they come after the entities. */
function readAllPolicies(text: string, line: number): readonly TransferItem[] {
  try {
    return Object.entries(JSON.parse(text) as object).map(([name, policies]) => ({
      kind: 'table',
      line,
      name,
      policies: checkPolicies(policies),
    }));
  } catch (error) {
    if (error instanceof TableHeaderFault) return [{ kind: 'unreadable', line, error }];
    throw new StateFault('invalid', `Line ${line}: the policies are not valid JSON.`);
  }
}

/**
 * Reads entities as `az storage entity query` prints them: with the ETag as `etag`, and an Int64 as an object with its type. Its other
 * types are plain values, so dates, Guids and binary values are strings.
 */
const azureCli: Pick<AlikeBodies, 'read'> = {
  read(text) {
    const types: JsonMember[] = [];
    const values = readJsonObject(text)
      .filter(({ name }) => name !== 'etag')
      .map((member) => {
        const [type, value] = member.kind === 'nested' ? readTyped(member.json) : [];
        if (!type || !value) return member;
        types.push({ ...type, name: member.name });
        // The service accepts a large number only as a string.
        return {
          name: member.name,
          kind: 'string',
          json: value.kind === 'number' ? `"${value.json}"` : value.json,
        } as const;
      });
    return readMembers(values, types);
  },
};

/** Returns type and value of `{"edm_type":"Edm.Int64","value":1}`; nothing for anything else. */
function readTyped(json: string): readonly (JsonMember | undefined)[] {
  try {
    const members = readJsonObject(json);
    return ['edm_type', 'value'].map((wanted) => members.find(({ name }) => name === wanted));
  } catch (error) {
    if (error instanceof TableError) return [];
    throw error;
  }
}

/** The collection with the tables of all accounts. */
const tablesCollection = '$TABLES_COLLECTION$';

/**
 * Reads the data file of Azurite's tables, `__azurite_db_table__.json`. It has a collection of the tables, and one for each table
 * with the name `account$table`. Files that Azurite 3.37.0 wrote show this form.
 */
class AzuriteReader {
  /** The name of the current collection, once it is known. */
  #collection: string | undefined;
  #at: JsonPath[number] | undefined;
  #hasTables = false;

  /**
   * Returns the items of a piece of `collections`. Errors: StateFault for entities before the name of their table, and for a
   * name that is not JSON.
   */
  read({ path, text, isEntered, line, column }: JsonPiece): readonly TransferItem[] {
    const [, at, member] = path;
    if (at !== this.#at) this.#collection = undefined;
    this.#at = at;
    // The start of a collection or of its data, or data that is not a list.
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

/** Serializes an object. Errors: TableError for one that is nested too deeply. */
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
