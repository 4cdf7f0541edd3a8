import { parseResource } from '../address/parse-address.js';
import type { PartFacts } from '../dialects/dialect.js';
import { BodyText } from '../formats/body-text.js';
import { defaultRepresentation } from '../formats/representation.js';
import { commitWrites, type Write } from '../operations/commit-writes.js';
import { runOperation } from '../operations/run-operation.js';
import { TableError } from '../protocol/errors.js';
import { transactionOperationsMax } from '../protocol/limits.js';
import type { TableStore } from '../store/store.js';
import { checkContentType } from './negotiate.js';
import { PartUrls } from './part-address.js';
import { type BatchPart, readBatch } from './read-multipart.js';
import { type RequestContext, type RequestedOperation, readOperation } from './read-operation.js';
import type { AnsweredPart, FailedTransactionAnswer, TransactionAnswer } from './service-answer.js';

/** A batch as it was sent. */
export interface BatchRequest {
  /** The body, whose boundary is in `contentType`. */
  readonly text: string;
  readonly contentType: string | undefined;
  /** What the parts share with the request that contains them. */
  readonly context: RequestContext;
}

/**
 * Carries out an Entity Group Transaction: all of its operations or none, in one commit. Or carries out a single query.
 *
 * If an operation fails, the answer is the error of the first one that does. Errors, for the whole request: InvalidInput for
 * a malformed envelope; InsufficientAccountPermissions for anything but a query on the secondary endpoint.
 * Source: batch; checks-order 8.
 */
export async function answerBatch(
  store: TableStore,
  { text, contentType, context }: BatchRequest,
): Promise<TransactionAnswer | FailedTransactionAnswer> {
  const batch = readBatch(text, contentType);
  if (context.secondary && batch.kind !== 'query') throw new TableError('InsufficientAccountPermissions');
  const isChangeSet = batch.kind === 'change-set';
  const parts = isChangeSet ? batch.parts : [batch.part];
  const reader = new PartReader(context);
  try {
    const answered = isChangeSet ? await runChangeSet(reader, parts) : [await runQuery(store, reader, batch.part)];
    return { kind: 'transaction', isChangeSet, parts: answered };
  } catch (error) {
    if (!(error instanceof TableError)) throw error;
    const isSingle = isChangeSet && parts.length <= 1;
    const failed = reader.readFailed(parts[error.at ?? 0]);
    return { kind: 'failed-transaction', isChangeSet, isSingle, error, ...failed };
  }
}

const noFacts: PartFacts = { representation: defaultRepresentation, contentId: undefined };

async function runChangeSet(reader: PartReader, parts: readonly BatchPart[]): Promise<AnsweredPart[]> {
  if (parts.length > transactionOperationsMax) {
    throw new TableError('InvalidInput', {
      at: transactionOperationsMax - 1,
      variant: { name: 'changes-too-many', max: transactionOperationsMax },
    });
  }
  if (parts.length === 0) return [];
  const facts: PartFacts[] = [];
  const answers = await commitWrites(reader.writes(parts, facts));
  return answers.map((answer, at) => ({ ...(facts[at] ?? noFacts), answer }));
}

async function runQuery(store: TableStore, reader: PartReader, part: BatchPart): Promise<AnsweredPart> {
  const { row, request, representation } = reader.read(part);
  const { operation } = row;
  const { kind } = request.resource;
  const isQuery = row.answers === 'json' && (kind === 'entities' || kind === 'entity');
  if (operation.kind !== 'store' || !isQuery) throw notInBatch();
  const answer = await runOperation(store, operation, { ...request, body: new BodyText('') });
  return { representation, contentId: part.header('content-id'), answer };
}

function notInBatch(): TableError {
  return new TableError('BatchOperationNotSupported');
}

/** Reads the parts of one batch as separate requests, relative to the address of the batch. */
class PartReader {
  readonly #context: RequestContext;
  /** The part that was read last. The parts of a transaction often have the same head. */
  #last: { readonly head: string; readonly operation: RequestedOperation } | undefined;
  readonly #urls: PartUrls;

  constructor(context: RequestContext) {
    this.#context = context;
    this.#urls = new PartUrls(context);
  }

  /** Finds the operation of a part. Errors: those of any request's path, verb and formats. */
  read(part: BatchPart): RequestedOperation {
    if (this.#last?.head === part.head) return this.#last.operation;
    const { path, query } = this.#urls.split(part.url);
    const operation = readOperation(part, parseResource(path, true), query, this.#context);
    this.#last = { head: part.head, operation };
    return operation;
  }

  /** Yields the writes of a change set. Each is read when it is requested, and its facts are added to `facts`. */
  *writes(parts: readonly BatchPart[], facts: PartFacts[]): Generator<Write> {
    for (const part of parts) {
      if (part.method === 'GET' || part.method === 'HEAD') throw new TableError('InvalidInput');
      const { row, request, representation } = this.read(part);
      const contentType = part.header('content-type');
      if (row.takes !== undefined && contentType !== undefined) checkContentType(contentType, row.takes);
      if (row.operation.kind !== 'write') throw notInBatch();
      facts.push({ representation, contentId: part.header('content-id') });
      yield { operation: row.operation, request: { ...request, body: new BodyText(part.body) } };
    }
  }

  /** Returns what the error part and the record repeat of the operation at fault, as far as it can be read. */
  readFailed(part: BatchPart | undefined): Pick<FailedTransactionAnswer, 'part' | 'operation'> {
    const contentId = part?.header('content-id');
    try {
      if (part) {
        const { row, representation } = this.read(part);
        return { part: { representation, contentId }, operation: row.operation.name };
      }
    } catch (error) {
      if (!(error instanceof TableError)) throw error;
    }
    return { part: { ...noFacts, contentId }, operation: undefined };
  }
}
