import type { CopyMode } from '../ends/end.js';
import type { Row } from '../rows/row.js';
import { codeOf, messageOf } from './retry.js';

/** The limits of a transaction. */
export interface BatchLimits {
  readonly operations: number;
  /** Unit: bytes. */
  readonly bytes: number;
}

/** The limits of storage accounts and of Cosmos DB, with some room for the envelope. Source: data-model 8; cosmos 12. */
export const batchLimits = {
  storage: { operations: 100, bytes: 3.6 * 1024 * 1024 },
  cosmos: { operations: 100, bytes: 1.8 * 1024 * 1024 },
} as const satisfies Record<string, BatchLimits>;

/** The most that a part has beside its entity. Unit: bytes. */
const partBytes = 700;

/** The rows of a transaction. */
interface Group {
  readonly rows: Row[];
  readonly keys: Set<string>;
  bytes: number;
}

/**
 * Divides rows into transactions: of one partition each, no entity twice, in order within a partition. `keepsOrder`: also in order
 * across partitions.
 */
export function groupRows(rows: readonly Row[], limits: BatchLimits, keepsOrder = false): readonly Row[][] {
  const open = new Map<string, Group>();
  const groups: Row[][] = [];
  for (const row of rows) {
    const { partitionKey, rowKey, text } = row;
    let group = open.get(partitionKey);
    // A UTF-16 unit has at most three bytes in UTF-8, so most texts need no count.
    const most = text.length * 3;
    const bytes = (most < limits.bytes / 200 ? most : Buffer.byteLength(text)) + partBytes;
    const isFull = group && (group.rows.length === limits.operations || group.bytes + bytes > limits.bytes);
    if (!group || isFull || group.keys.has(rowKey)) {
      group = { rows: [], keys: new Set(), bytes: 0 };
      if (keepsOrder) open.clear();
      open.set(partitionKey, group);
      groups.push(group.rows);
    }
    group.rows.push(row);
    group.keys.add(rowKey);
    group.bytes += bytes;
  }
  return groups;
}

/** A write: its method, its path after the endpoint, and its entity. */
export interface Operation {
  readonly method: 'POST' | 'PUT' | 'PATCH';
  readonly path: string;
  /** Further headers. */
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
}

/** Returns the write of a row; undefined for a key that a URL cannot have. Source: cosmos 14. */
export function writeOperation(
  table: string,
  { partitionKey, rowKey, text }: Row,
  mode: CopyMode,
  isCosmos: boolean,
): Operation | undefined {
  if (mode === 'insert' || mode === 'skip') return { method: 'POST', path: `/${table}`, headers: {}, text };
  if (!partitionKey.isWellFormed() || !rowKey.isWellFormed()) return undefined;
  const quoted = (key: string) => encodeURIComponent(`'${key.replaceAll("'", "''")}'`);
  const path = `/${table}(PartitionKey=${quoted(partitionKey)},RowKey=${quoted(rowKey)})`;
  if (mode === 'replace') return { method: 'PUT', path, headers: {}, text };
  // Cosmos DB does not take PATCH.
  return isCosmos
    ? { method: 'POST', path, headers: { 'x-http-method': 'MERGE' }, text }
    : { method: 'PATCH', path, headers: {}, text };
}

/** The headers of a write. */
export const writeHeaders = { 'content-type': 'application/json', prefer: 'return-no-content' } as const;

/** Writes the body of a transaction. `endpoint` is the address of the account. Source: batch 1. */
export function writeBatch(endpoint: string, operations: readonly Operation[], boundary: string): string {
  const set = `changeset_${boundary}`;
  const parts = operations.map(
    ({ method, path, headers, text }) =>
      `--${set}\r\nContent-Type: application/http\r\nContent-Transfer-Encoding: binary\r\n\r\n${method} ${endpoint}${path} HTTP/1.1\r\n` +
      `Accept: application/json;odata=minimalmetadata\r\nContent-Type: application/json\r\nPrefer: return-no-content\r\n` +
      `DataServiceVersion: 3.0;\r\n${headerLines(headers)}\r\n${text}\r\n`,
  );
  const start = `--batch_${boundary}\r\nContent-Type: multipart/mixed; boundary=${set}\r\n\r\n`;
  return `${start}${parts.join('')}--${set}--\r\n--batch_${boundary}--\r\n`;
}

function headerLines(headers: Operation['headers']): string {
  return Object.entries(headers)
    .map(([name, value]) => `${name}: ${value}\r\n`)
    .join('');
}

/** Why a service rejects a write. */
export interface WriteFault {
  readonly status: number;
  readonly code: string;
  readonly message: string;
  /** The position of the write at fault, if the service tells it. */
  readonly at: number | undefined;
}

/** Reads an error. */
export function readFault({ status, text }: { readonly status: number; readonly text: string }): WriteFault {
  const message = messageOf(text);
  const [, index] = /^(\d+):/.exec(message) ?? [];
  const at = index === undefined ? undefined : Number(index);
  return { status, code: codeOf(text), message: message.replace(/^\d+:/, ''), at };
}

/** Reads the answer to a transaction of `count` writes. Returns undefined if all were written. Errors: SyntaxError for an answer that is cut off. */
export function readBatchAnswer(text: string, count: number): WriteFault | undefined {
  if (!text.trimEnd().endsWith('--')) throw new SyntaxError('the answer to a transaction is cut off');
  const statuses = [...text.matchAll(/^HTTP\/1\.1 (\d+)/gm)].map(([, status]) => Number(status));
  const status = statuses.find((one) => one >= 400);
  if (status !== undefined) return readFault({ status, text });
  if (statuses.length !== count) throw new SyntaxError('the answer to a transaction is cut off');
  return undefined;
}
