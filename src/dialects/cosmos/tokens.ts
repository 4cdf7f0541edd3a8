import type { Query } from '../../address/query.js';
import type { EntityKey } from '../../entity/entity.js';
import { TableError } from '../../protocol/errors.js';

/** The text of a token of entities: the internal id of a document. The rest after `#` counts what was read. */
const documentId = /^\[?\{"token":"\+RID:~([A-Za-z0-9+/]*={0,2})#RT:1#TRC:\d+","range":\{"min":"","max":"FF"\}\}\]?$/;

const tableId = /^\+RID:~([A-Za-z0-9+/]{11}=)#RT:1#TRC:\d+$/;

/**
 * Writes the token of entities, which continues a query at this place. `rows` is the number of rows of the page. The tokens
 * of later pages are in brackets. Source: cosmos 5.
 */
export function writeEntityToken({ partitionKey, rowKey }: EntityKey, rows: number, isLater: boolean): string {
  const place = Buffer.from(JSON.stringify([partitionKey, rowKey])).toString('base64');
  const token = `{"token":"+RID:~${place}#RT:1#TRC:${rows}","range":{"min":"","max":"FF"}}`;
  return isLater ? `[${token}]` : token;
}

/** Returns the place at which a query of entities continues. Errors: InvalidInput. Source: cosmos 5. */
export function readEntityStart(query: Query): EntityKey | undefined {
  const token = query.get('NextPartitionKey');
  if (token === undefined) return undefined;
  const [, place = ''] = documentId.exec(token) ?? [];
  try {
    const [partitionKey, rowKey] = JSON.parse(Buffer.from(place, 'base64').toString()) as unknown[];
    if (typeof partitionKey === 'string' && typeof rowKey === 'string') return { partitionKey, rowKey };
  } catch {
    // Not a token of this server.
  }
  throw new TableError('InvalidInput');
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
  if (place === undefined) throw new TableError('InvalidInput');
  return Buffer.from(place, 'base64').toString('hex');
}
