import { parseResource } from '../address/parse-address.js';
import type { Dialect, PartFacts } from '../dialects/dialect.js';
import { commitWrites, type Write } from '../operations/commit-writes.js';
import type { OperationRequest } from '../operations/operation.js';
import { runOperation } from '../operations/run-operation.js';
import { TableError } from '../protocol/errors.js';
import { transactionOperationsMax } from '../protocol/limits.js';
import type { TableStore } from '../store/store.js';
import { checkContentType } from './negotiate.js';
import { splitPartUrl } from './part-address.js';
import { type BatchPart, readBatch } from './read-multipart.js';
import { type RequestedOperation, readOperation } from './read-operation.js';
import { type Multipart, type PartText, writeErrorPart, writeMultipart, writePart } from './write-multipart.js';

/** What a batch takes from the request it came in. */
export interface BatchRequest {
  readonly request: Pick<
    OperationRequest,
    'account' | 'secondary' | 'identity' | 'base' | 'version' | 'body' | 'isGone'
  >;
  readonly contentType: string | undefined;
  readonly requestId: string;
  readonly dialect: Dialect;
}

/**
 * Entity Group Transaction: all of its operations or none, in one commit; or a single query.
 *
 * Answers a multipart also when an operation failed: then one part, the error of the first that did.
 * Errors, for the whole request: InvalidInput for an envelope that cannot be read; InsufficientAccountPermissions for
 * anything but a query on the secondary endpoint.
 * Source: batch; checks-order 8.
 */
export async function answerBatch(
  store: TableStore,
  { request, contentType, requestId, dialect }: BatchRequest,
): Promise<Multipart> {
  const batch = readBatch(request.body, contentType);
  if (request.secondary && batch.kind !== 'query') throw new TableError('InsufficientAccountPermissions');
  const reader = new PartReader(request);
  const parts = batch.kind === 'query' ? [batch.part] : batch.parts;
  try {
    const written =
      batch.kind === 'query'
        ? [await runQuery(store, reader, batch.part, dialect)]
        : await runChangeSet(store, reader, parts, dialect);
    return writeMultipart(written, batch.kind === 'change-set');
  } catch (error) {
    if (!(error instanceof TableError)) throw error;
    const isSingle = batch.kind === 'change-set' && parts.length <= 1;
    const part = reader.failed(parts[error.at ?? 0]);
    const failed = writeErrorPart(dialect, error, { requestId, isSingle, part });
    return writeMultipart([failed], batch.kind === 'change-set');
  }
}

async function runChangeSet(
  store: TableStore,
  reader: PartReader,
  parts: readonly BatchPart[],
  dialect: Dialect,
): Promise<PartText[]> {
  if (parts.length > transactionOperationsMax) {
    throw new TableError('InvalidInput', {
      at: transactionOperationsMax - 1,
      variant: { name: 'changes-too-many', max: transactionOperationsMax },
    });
  }
  if (parts.length === 0) return [];
  const writes: Write[] = [];
  const answers = await commitWrites(store, reader.writes(parts, writes));
  return answers.map((answer, at) => {
    const { level = 'minimalmetadata', prefer } = writes[at]?.request ?? {};
    return writePart(dialect, answer, { level, prefer, contentId: parts[at]?.header('content-id') });
  });
}

async function runQuery(store: TableStore, reader: PartReader, part: BatchPart, dialect: Dialect): Promise<PartText> {
  const { row, request } = reader.read(part);
  const { operation } = row;
  const { kind } = request.resource;
  const isQuery = row.answers === 'json' && (kind === 'entities' || kind === 'entity');
  if (operation.kind !== 'store' || !isQuery) throw notInBatch();
  const answer = await runOperation(store, operation, { ...request, body: '' });
  const { level, prefer } = request;
  return writePart(dialect, answer, { level, prefer, contentId: part.header('content-id') });
}

function notInBatch(): TableError {
  return new TableError('BatchOperationNotSupported');
}

/** Reads the parts of one batch as requests of their own, below the address of the outer one. */
class PartReader {
  readonly #outer: BatchRequest['request'];
  /** What the part before asked for: inserts of one transaction all ask for the same. */
  #last: { readonly head: string; readonly operation: RequestedOperation } | undefined;

  constructor(outer: BatchRequest['request']) {
    this.#outer = outer;
  }

  /** Finds what a part asks for. Errors: those of any request's path, verb and formats. */
  read(part: BatchPart): RequestedOperation {
    if (this.#last?.head === part.head) return this.#last.operation;
    const { path, query } = splitPartUrl(part.url, this.#outer);
    // Inner requests bring no credentials of their own.
    const { account, base, secondary, identity, isGone, version } = this.#outer;
    const address = { account, base, secondary, identity, isGone, query };
    const operation = readOperation(part, parseResource(path, true), address, version);
    this.#last = { head: part.head, operation };
    return operation;
  }

  /** The writes of a change set, each read when it is asked for, and kept in `read` with what was found. */
  *writes(parts: readonly BatchPart[], read: Write[]): Generator<Write> {
    for (const part of parts) {
      if (part.method === 'GET' || part.method === 'HEAD') throw new TableError('InvalidInput');
      const { row, request } = this.read(part);
      const contentType = part.header('content-type');
      if (row.takes !== undefined && contentType !== undefined) checkContentType(contentType, row.takes);
      if (row.operation.kind !== 'write') throw notInBatch();
      const write = {
        operation: row.operation,
        request: { ...request, body: part.body },
      };
      read.push(write);
      yield write;
    }
  }

  /** What an error part repeats of the operation at fault, as far as it can be read. */
  failed(part: BatchPart | undefined): PartFacts {
    const contentId = part?.header('content-id');
    try {
      if (part) {
        const { level, prefer } = this.read(part).request;
        return { level, prefer, contentId };
      }
    } catch (error) {
      if (!(error instanceof TableError)) throw error;
    }
    return { level: 'minimalmetadata', prefer: undefined, contentId };
  }
}
