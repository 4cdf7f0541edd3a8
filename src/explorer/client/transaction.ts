import { transactionOperationsMax } from '../../protocol/limits.js';
import { account } from '../shell/session.js';
import type { EntityKeys } from './entity.js';
import { askService, entityPath, readFault, ServiceError } from './table-client.js';

/** One write of a transaction. */
export interface TransactionWrite extends EntityKeys {
  readonly method: 'MERGE' | 'PUT' | 'DELETE';
  /** The body as the service takes it; undefined for a deletion. */
  readonly body?: string;
  readonly etag: string;
}

/** Returns writes in the transactions that they need: one partition each, and at most 100 writes. */
export function groupWrites<Write extends EntityKeys>(writes: readonly Write[]): readonly (readonly Write[])[] {
  const partitions = Map.groupBy(writes, ({ partitionKey }) => partitionKey);
  return [...partitions.values()].flatMap((all) => {
    const groups: Write[][] = [];
    for (let at = 0; at < all.length; at += transactionOperationsMax)
      groups.push(all.slice(at, at + transactionOperationsMax));
    return groups;
  });
}

/** Makes writes of one partition: all of them, or none. Errors: ServiceError of the first write that was refused. */
export async function commitTransaction(table: string, writes: readonly TransactionWrite[]): Promise<void> {
  const [batch, changes] = [`batch_${crypto.getRandomValues(new Uint32Array(1))}`, 'changeset_1'];
  const parts = writes.map(({ method, body, etag, ...keys }) =>
    [
      `--${changes}`,
      'Content-Type: application/http',
      'Content-Transfer-Encoding: binary',
      '',
      `${method} ${location.origin}${pathOf(table, keys)} HTTP/1.1`,
      'Accept: application/json;odata=minimalmetadata',
      ...(body === undefined ? [] : ['Content-Type: application/json']),
      `If-Match: ${etag}`,
      '',
      body ?? '',
    ].join('\r\n'),
  );
  const body = [
    `--${batch}`,
    `Content-Type: multipart/mixed; boundary=${changes}`,
    '',
    ...parts,
    `--${changes}--`,
    `--${batch}--`,
    '',
  ].join('\r\n');
  const answer = await askService('/$batch', {
    method: 'POST',
    body,
    contentType: `multipart/mixed; boundary=${batch}`,
  });
  const text = await answer.text();
  const [, failed] = /HTTP\/1\.1 ([45]\d\d)/.exec(text) ?? [];
  if (failed === undefined) return;
  throw readFault(Number(failed), /\{"odata\.error".*\}/.exec(text)?.[0] ?? '');
}

/** Returns whether an error says that an entity was changed or removed by someone else. */
export function isConflict(error: unknown): boolean {
  return error instanceof ServiceError && (error.status === 412 || error.status === 404);
}

function pathOf(table: string, keys: EntityKeys): string {
  return `/${account.value?.name}${entityPath(table, keys)}`;
}
