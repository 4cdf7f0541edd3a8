import { createHash } from 'node:crypto';
import type { Query } from '../../address/query.js';
import type { PageStart } from '../../query/plan/plan.js';
import { invalidOption } from '../../query/query-options.js';
import type { Table } from '../../store/store.js';

/** Size of the place of a table or a row in continuation tokens. Unit: bytes. Source: cosmos 5. */
const placeBytes = 8;

/**
 * Returns the place of a table in lists, in hex digits. Lists follow neither names nor times of creation, but are stable: ours
 * is a hash of the name. Source: cosmos 4.
 */
export function tablePlace(name: string): string {
  return createHash('sha256')
    .update(name, 'utf16le')
    .digest('hex')
    .slice(0, 2 * placeBytes);
}

/** Returns tables in the order of their places. */
export function arrangeTables(tables: readonly Table[]): readonly Table[] {
  return tables
    .map((table) => ({ table, place: tablePlace(table.name) }))
    .sort((a, b) => (a.place < b.place ? -1 : 1))
    .map(({ table }) => table);
}

/** A token of entities: the internal id of a document. `TRC` is the number of rows. */
const documentId = /^\[?\{"token":"\+RID:~([A-Za-z0-9+/]*={0,2})#RT:1#TRC:\d+","range":\{"min":"","max":"FF"\}\}\]?$/;

const tableId = /^\+RID:~([A-Za-z0-9+/]{11}=)#RT:1#TRC:\d+$/;

/** Number of zeros before the place in the id of a document. Unit: bytes. */
const idZeros = 8;

/**
 * Writes the token of entities, which continues a query at this row. `rows` is the number of rows of the page. The tokens of
 * later pages are in brackets. Source: cosmos 5.
 */
export function writeEntityToken(next: PageStart, rows: number, isLater: boolean): string {
  const token = `{"token":"+RID:~${writeId(next)}#RT:1#TRC:${rows}","range":{"min":"","max":"FF"}}`;
  return isLater ? `[${token}]` : token;
}

/** Returns the row at which a query of entities continues. Errors: InvalidInput. Source: cosmos 5. */
export function readEntityStart(query: Query): PageStart | undefined {
  const token = query.get('NextPartitionKey');
  if (token === undefined) return undefined;
  const [, id = ''] = documentId.exec(token) ?? [];
  const start = readId(Buffer.from(id, 'base64'));
  if (!start) throw invalidOption('continuation token', token);
  return start;
}

/** Returns the id of a row: its place, or its key in a table that is in the order of keys. */
function writeId({ place, partitionKey, rowKey }: PageStart): string {
  if (place === undefined) return Buffer.from(JSON.stringify([partitionKey, rowKey])).toString('base64');
  return Buffer.concat([Buffer.alloc(idZeros), Buffer.from(place, 'hex')]).toString('base64');
}

function readId(id: Buffer): PageStart | undefined {
  if (id[0] === 0) {
    const isPlace = id.length === idZeros + placeBytes && id.subarray(0, idZeros).every((byte) => byte === 0);
    return isPlace ? { partitionKey: '', rowKey: '', place: id.subarray(idZeros).toString('hex') } : undefined;
  }
  try {
    const [partitionKey, rowKey] = JSON.parse(id.toString()) as unknown[];
    return typeof partitionKey === 'string' && typeof rowKey === 'string' ? { partitionKey, rowKey } : undefined;
  } catch {
    return undefined;
  }
}

/** Writes the token of tables, which continues a query at the place of a table. Source: cosmos 5. */
export function writeTableToken(place: string, rows: number): string {
  return `+RID:~${Buffer.from(place, 'hex').toString('base64')}#RT:1#TRC:${rows}`;
}

/** Returns the place of the table at which a query of tables continues. Errors: InvalidInput. Source: cosmos 5. */
export function readTableStart(query: Query): string | undefined {
  const token = query.get('NextTableName');
  if (token === undefined) return undefined;
  const [, place] = tableId.exec(token) ?? [];
  if (place === undefined) throw invalidOption('continuation token', token);
  return Buffer.from(place, 'base64').toString('hex');
}
