import type { EntityKey } from '../../../src/entity/stored/entity.js';
import type { OperationName } from '../../../src/protocol/operation-names.js';
import type { RequestRecord } from '../../../src/service/observe.js';
import { RequestIds } from '../../../src/service/service.js';
import type { CommittedTransaction, Writer } from '../../../src/store/commit-listeners.js';

/** The ids of the requests that a test makes. */
export const ids = new RequestIds();

/** What a test decides of a request that it puts into a journal. */
export interface RecordOptions {
  readonly method?: string;
  readonly url?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly operation?: string;
  readonly status?: number;
  readonly code?: string;
  readonly requestNumber?: number;
  readonly account?: string;
  readonly requestBytes?: number;
  readonly answerBytes?: number;
  readonly durationMs?: number;
  readonly entitiesRead?: number;
  readonly entitiesReturned?: number;
  readonly continues?: boolean;
}

function receivedOf({
  method,
  target,
  headers,
  number,
}: {
  method: string;
  target: string;
  headers: object;
  number: number;
}) {
  return {
    ...{ method, target, number, id: ids.write(number), scheme: 'http', httpVersion: '1.1', caller: '127.0.0.1' },
    headers: { host: 'localhost:10002', ...headers },
  };
}

/** Makes a request as a store gets it with the changes that it asks for. */
export function writerOf(options: Pick<RecordOptions, 'headers' | 'operation' | 'requestNumber'> = {}): Writer {
  const { headers = {}, operation = 'Insert Entity', requestNumber = 1 } = options;
  return {
    requestId: ids.write(requestNumber),
    clientRequestId: headers['x-ms-client-request-id'],
    operation: operation as OperationName,
    caller: '127.0.0.1',
    userAgent: headers['user-agent'],
  };
}

/** Makes the record of a request as observers get it. */
export function recordOf(options: RecordOptions = {}): RequestRecord {
  const { method = 'GET', url = '/devstoreaccount1/People', headers = {}, operation = 'Query Entities' } = options;
  return {
    request: receivedOf({ method, target: url, headers, number: options.requestNumber ?? 1 }),
    requestNumber: options.requestNumber ?? 1,
    requestId: ids.write(options.requestNumber ?? 1),
    clientRequestId: headers['x-ms-client-request-id'],
    operation,
    account: options.account ?? 'devstoreaccount1',
    status: options.status ?? 200,
    rejection: options.code === undefined ? undefined : { code: options.code },
    failedPart: undefined,
    entitiesRead: options.entitiesRead ?? 0,
    entitiesReturned: options.entitiesReturned ?? 0,
    continues: options.continues ?? false,
    requestBytes: options.requestBytes ?? 0,
    durationMs: options.durationMs ?? 1.5,
    answerBytes: options.answerBytes ?? 10,
  } as unknown as RequestRecord;
}

/** Makes a transaction of inserts as a store gives it to the listeners of commits. */
export function writtenTo(
  keys: readonly EntityKey[],
  options: Partial<CommittedTransaction> = {},
): CommittedTransaction {
  const timestamp = '2026-11-22T10:00:00Z';
  const change = { kind: 'insert' as const, text: '{}', previous: null, isNew: true, timestamp };
  const changes = keys.map((key) => ({ ...change, key }));
  return { account: 'one', table: 'People', writer: undefined, changes, ...options };
}
