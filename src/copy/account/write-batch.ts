import { entityPath } from '../../entity/stored/write-row.js';
import type { CopyWish } from '../contract.js';
import type { Row } from '../rows/row.js';
import type { Sent } from './connection.js';
import { type Answer, codeOf, messageOf } from './retry.js';

/** The limits of a transaction, with some room for the envelope. Unit of bytes: of the body. Source: data-model 8; cosmos 12. */
const batchLimits = { operations: 100, bytes: 3.6 * 1024 * 1024, cosmosBytes: 1.8 * 1024 * 1024 } as const;

/** The most that a part has beside its entity. Unit: bytes. */
const partBytes = 700;

/**
 * Divides rows into transactions of one partition each, without an entity twice. Returns them in rounds: those of one round may be
 * written at the same time, and each round after the one before. `keepsOrder`: rows stay in order across partitions; then no entity may
 * be there twice.
 */
export function groupRows(rows: readonly Row[], isCosmos: boolean, keepsOrder = false): readonly Row[][][] {
  const bytesMax = isCosmos ? batchLimits.cosmosBytes : batchLimits.bytes;
  const rounds: Row[][][] = [];
  const roundOf = new Map<string, number>();
  /** The transaction that is being filled, by round and partition. */
  let open = new Map<string, { readonly rows: Row[]; bytes: number }>();
  for (const row of rows) {
    const { partitionKey, rowKey, text } = row;
    const key = JSON.stringify([partitionKey, rowKey]);
    const round = (roundOf.get(key) ?? -1) + 1;
    roundOf.set(key, round);
    const place = `${keepsOrder ? 0 : round}:${partitionKey}`;
    // A UTF-16 unit has at most three bytes in UTF-8, so most texts need no count.
    const most = text.length * 3;
    const bytes = (most < bytesMax / 200 ? most : Buffer.byteLength(text)) + partBytes;
    let group = open.get(place);
    if (!group || group.rows.length === batchLimits.operations || group.bytes + bytes > bytesMax) {
      group = { rows: [], bytes: 0 };
      if (keepsOrder) open = new Map();
      const groups = keepsOrder ? undefined : rounds[round];
      if (groups) groups.push(group.rows);
      else rounds.push([group.rows]);
      open.set(place, group);
    }
    group.rows.push(row);
    group.bytes += bytes;
  }
  return rounds;
}

/** A write: its path is after the endpoint, and its body an entity. */
export type Operation = Required<Pick<Sent, 'method' | 'path' | 'headers' | 'body'>>;

/** Returns the write of a row. The path of other modes than insert needs keys that a URL can have. Source: cosmos 14. */
export function writeOperation(
  table: string,
  { partitionKey, rowKey, text: body }: Row,
  mode: CopyWish['mode'],
  isCosmos: boolean,
): Operation {
  if (mode === 'insert' || mode === 'skip') return { method: 'POST', path: `/${table}`, headers: {}, body };
  const path = `/${entityPath(table, partitionKey, rowKey)}`;
  if (mode === 'replace') return { method: 'PUT', path, headers: {}, body };
  // Cosmos DB does not take PATCH.
  return isCosmos
    ? { method: 'POST', path, headers: { 'x-http-method': 'MERGE' }, body }
    : { method: 'PATCH', path, headers: {}, body };
}

/** The headers of a write. */
export const writeHeaders = { 'content-type': 'application/json', prefer: 'return-no-content' } as const;

/** Writes the body of a transaction. `endpoint` is the address of the account. Source: batch 1. */
export function writeBatch(endpoint: string, operations: readonly Operation[], boundary: string): string {
  const set = `changeset_${boundary}`;
  const parts = operations.map(({ method, path, headers, body }) => {
    const more = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
    return (
      `--${set}\r\nContent-Type: application/http\r\nContent-Transfer-Encoding: binary\r\n\r\n${method} ${endpoint}${path} HTTP/1.1\r\n` +
      `Accept: application/json;odata=minimalmetadata\r\nContent-Type: application/json\r\nPrefer: return-no-content\r\n` +
      `DataServiceVersion: 3.0;\r\n${more.join('')}\r\n${body}\r\n`
    );
  });
  const start = `--batch_${boundary}\r\nContent-Type: multipart/mixed; boundary=${set}\r\n\r\n`;
  return `${start}${parts.join('')}--${set}--\r\n--batch_${boundary}--\r\n`;
}

/** Reads an error. `at` is the position of the write at fault, if the service tells it. */
export function readFault({ text }: Pick<Answer, 'text'>): { code: string; message: string; at: number | undefined } {
  const [, index, message = ''] = /^(?:(\d+):)?(.*)$/s.exec(messageOf(text)) ?? [];
  return { code: codeOf(text), message, at: index === undefined ? undefined : Number(index) };
}

/** Returns the status in the answer to a transaction of `count` writes: that of the fault, if there is one. Errors: SyntaxError for an answer that is cut off. */
export function statusOfBatch(text: string, count: number): number {
  const statuses = [...text.matchAll(/^HTTP\/1\.1 (\d+)/gm)].map(([, status]) => Number(status));
  const fault = statuses.find((status) => status >= 400);
  if (!text.trimEnd().endsWith('--') || (fault === undefined && statuses.length !== count))
    throw new SyntaxError('the answer to a transaction is cut off');
  return fault ?? 202;
}
