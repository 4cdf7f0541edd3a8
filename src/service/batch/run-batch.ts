import type { Resource } from '../../address/resource.js';
import type { PartFacts } from '../../dialects/dialect.js';
import { type BodyFormat, type BodyOpener, emptyBody, loadAtomOpener } from '../../formats/open-body.js';
import { atomOfErrors, jsonOfErrors } from '../../formats/representation.js';
import type { WrittenEntities } from '../../operations/answer.js';
import { commitWrites, type Write } from '../../operations/commit-writes.js';
import type { OperationRow } from '../../operations/operation-table.js';
import { runOperation } from '../../operations/run-operation.js';
import { notInService, TableError } from '../../protocol/errors.js';
import { EventLoopTurn, turnForLongWork } from '../../store/event-loop-turn.js';
import type { AnsweredPart, FailedTransactionAnswer } from '../answers.js';
import { namesAtom, readContentType } from '../negotiate.js';
import { routeAlike, routeTo, writerOf } from '../route.js';
import type { Done } from '../run.js';
import type { Service } from '../service.js';
import type { Loaded, Routed } from '../stages.js';
import { PartAddresses } from './part-address.js';
import { type Batch, type BatchPart, malformed, readBatch } from './read-batch.js';

/** A longer body counts as long work: reading a batch of that length takes half a millisecond. Unit: characters. (Our choice.) */
export const longText = 16 * 1024;

/** Longer heads of parts are read in turns: a list or a key takes 0.1 µs per character. Unit: characters. (Our choice.) */
const longHeads = 256 * 1024;

/**
 * Carries out an Entity Group Transaction: all of its operations or none, in one commit. Or carries out a single query.
 *
 * If operations fail, the answer is the first error. Errors, for the whole request: InvalidInput for a malformed envelope, and for
 * PATCH if the service does not have it; InsufficientAccountPermissions for anything but a query on the secondary endpoint.
 * Source: batch; checks-order 8.
 */
export async function runBatch(service: Service, { routed, text }: Loaded): Promise<Done> {
  if (text.length > longText) await turnForLongWork();
  const { requests } = service.dialect;
  const { received, addressed } = routed.authenticated;
  const batch = readBatch(text, received.headers['content-type'], requests.operationsMax);
  if (!requests.answersEmptyBatches && lacksOperation(batch)) throw malformed();
  if (batch.kind === 'operation-missing') return failed(operationMissing(batch.at));
  if (batch.kind === 'empty') return answered(false, { parts: [], written: undefined, table: undefined });
  const isReadOnly = addressed.address.secondary && requests.hasReadOnlySecondary;
  if (isReadOnly && batch.kind !== 'query') throw new TableError('InsufficientAccountPermissions');
  const isChangeSet = batch.kind === 'change-set';
  const parts = isChangeSet ? batch.parts : [batch.part];
  if (!requests.takesPatch && parts.some(({ method }) => method === 'PATCH'))
    throw notInService('InvalidInput', 'patch');
  const reader = new PartReader(service, routed);
  if (headUnitsOf(parts) > longHeads) await reader.readAhead(parts);
  try {
    return answered(isChangeSet, isChangeSet ? await reader.commit(parts) : await reader.query(batch.part));
  } catch (error) {
    if (!(error instanceof TableError) || requests.rejectingTransactions.has(error.code)) throw error;
    const isSingle = isChangeSet && parts.length <= 1;
    const answer = {
      kind: 'failed-transaction',
      isChangeSet,
      isSingle,
      error,
      ...reader.readFailed(parts, error),
    } as const;
    return failed(answer, reader.tableOf(parts[0]));
  }
}

function answered(isChangeSet: boolean, { parts, ...done }: DoneParts): Done {
  return { answer: { kind: 'transaction', isChangeSet, parts }, ...done };
}

function failed(answer: FailedTransactionAnswer, table?: string): Done {
  return { answer, written: undefined, table };
}

/** Returns the total length of the heads. Unit: characters. */
function headUnitsOf(parts: readonly BatchPart[]): number {
  let units = 0;
  for (const { url, fields } of parts) units += url.length + fields.length;
  return units;
}

/** Returns whether a batch has no operation, or one without a request. */
function lacksOperation(batch: Batch): boolean {
  if (batch.kind === 'change-set') return batch.parts.length === 0;
  return batch.kind === 'empty' || batch.kind === 'operation-missing';
}

/** Returns the answer to a change set with an operation without a request, and so without a format. Source: batch 4. */
function operationMissing(at: number): FailedTransactionAnswer {
  const error = new TableError('InvalidInput', { variant: { name: 'operation-empty' }, at });
  const part = { representation: atomOfErrors, contentId: undefined };
  const facts = { part, laterPrefer: undefined, operation: undefined };
  return { kind: 'failed-transaction', isChangeSet: true, isSingle: false, error, ...facts };
}

interface DoneParts {
  readonly parts: readonly AnsweredPart[];
  /** Undefined for a query. */
  readonly written: WrittenEntities | undefined;
  readonly table: string | undefined;
}

const noFacts: PartFacts = { representation: jsonOfErrors, contentId: undefined };

function notInBatch(): TableError {
  return new TableError('BatchOperationNotSupported');
}

function isSameTable(a: Resource, b: Resource): boolean {
  return a.kind === 'entity' && b.kind === 'entity' && a.table === b.table;
}

/** Reads the parts of one batch as separate requests, relative to the address of the batch. */
class PartReader {
  readonly #service: Service;
  readonly #batch: Routed;
  #last: { readonly part: BatchPart; readonly routed: Routed } | undefined;
  readonly #ahead = new Map<BatchPart, Routed | TableError>();
  readonly #addresses: PartAddresses;
  readonly #openers: Record<BodyFormat, BodyOpener>;

  constructor(service: Service, batch: Routed) {
    this.#service = service;
    this.#batch = batch;
    const { requests } = service.dialect;
    this.#openers = { json: requests.openJson, atom: requests.openJson };
    this.#addresses = new PartAddresses(batch.authenticated.addressed.address, requests);
  }

  /** Carries out the writes of a change set, all or none. Errors: those of `commitWrites`; InvalidInput for too many. */
  async commit(parts: readonly BatchPart[]): Promise<DoneParts> {
    const { operationsMax: max, countsParts } = this.#service.dialect.requests;
    if (parts.length > max) {
      throw new TableError('InvalidInput', { at: max - 1, variant: { name: 'changes-too-many', max } });
    }
    if (parts.length === 0) return { parts: [], written: undefined, table: undefined };
    const facts: PartFacts[] = [];
    await this.loadFormats(parts);
    const { answers, ...written } = await commitWrites(this.writes(parts, facts), writerOf(this.#batch));
    const answeredParts = answers.map((answer, at) => {
      const { representation, contentId } = facts[at] ?? noFacts;
      return { representation, contentId: countsParts ? String(at + 1) : contentId, answer };
    });
    return { parts: answeredParts, written, table: written.table };
  }

  /** Carries out the query of a batch. Errors: BatchOperationNotSupported; those of the query. */
  async query(part: BatchPart): Promise<DoneParts> {
    const { row, request, representation } = this.read(part);
    const { operation } = row;
    const { kind } = request.resource;
    const isQuery = row.answers === 'odata' && (kind === 'entities' || kind === 'entity');
    if (operation.kind !== 'store' || !isQuery) throw notInBatch();
    const answer = await runOperation(this.#service.store, operation, request, emptyBody);
    const answeredPart = { representation, contentId: part.headers['content-id'], answer };
    return { parts: [answeredPart], written: undefined, table: this.tableOf(part) };
  }

  /**
   * Finds the operations of all parts in turns of the event loop: the heads of a batch may have megabytes of lists and keys. An
   * unreadable part fails in `read`, in the order of the parts.
   */
  async readAhead(parts: readonly BatchPart[]): Promise<void> {
    const turn = new EventLoopTurn();
    for (const part of parts) {
      this.#ahead.set(part, this.#outcomeOf(part));
      if (turn.isOver(1)) await turn.next();
    }
  }

  #outcomeOf(part: BatchPart): Routed | TableError {
    try {
      return this.#read(part);
    } catch (error) {
      if (error instanceof TableError) return error;
      throw error;
    }
  }

  /** Finds the operation of a part. Errors: those of any request's path, verb and formats. */
  read(part: BatchPart): Routed {
    const outcome = this.#ahead.get(part) ?? this.#read(part);
    if (outcome instanceof TableError) throw outcome;
    return outcome;
  }

  #read(part: BatchPart): Routed {
    const last = this.#last;
    const isAlike = last !== undefined && last.part.method === part.method && last.part.fields === part.fields;
    if (isAlike && last.part.url === part.url) return last.routed;
    const { authenticated } = this.#batch;
    const { resource, query } = this.#addresses.read(part);
    let routed: Routed;
    if (isAlike && query === last.routed.request.shared.query && isSameTable(resource, last.routed.request.resource)) {
      routed = routeAlike(last.routed, resource);
    } else routed = routeTo(this.#service, authenticated, part, resource, query);
    this.#last = { part, routed };
    return routed;
  }

  /** Loads the reader of Atom if a part names it. The parts are then read without waiting. */
  async loadFormats(parts: readonly BatchPart[]): Promise<void> {
    if (parts.some((part) => namesAtom(part.headers['content-type']))) this.#openers.atom = await loadAtomOpener();
  }

  /** Yields the writes of a change set. Each is read when it is requested, and its facts are added to `facts`. */
  *writes(parts: readonly BatchPart[], facts: PartFacts[]): Generator<Write> {
    let last: { readonly part: BatchPart; readonly facts: PartFacts; readonly format: BodyFormat } | undefined;
    for (const part of parts) {
      if (part.method === 'GET' || part.method === 'HEAD') {
        const value = part.method;
        throw new TableError('InvalidInput', { evidence: () => ({ check: 'batch', fault: 'query', value }) });
      }
      const { row, request, representation } = this.read(part);
      if (last?.facts.representation !== representation || last.part.headers !== part.headers) {
        last = {
          part,
          facts: { representation, contentId: part.headers['content-id'] },
          format: this.#format(part, row),
        };
      }
      if (row.operation.kind !== 'write') throw notInBatch();
      facts.push(last.facts);
      yield { operation: row.operation, request, body: this.#openers[last.format](part.body, this.#service.bodies) };
    }
  }

  /** Returns the format of the body of a part. Errors: those of `readContentType`. */
  #format(part: BatchPart, { takes }: OperationRow): BodyFormat {
    const contentType = part.headers['content-type'];
    if (takes === undefined || contentType === undefined) return 'json';
    const { version } = this.#batch.authenticated.addressed;
    return readContentType(contentType, takes, version, this.#service.dialect.requests.speaksAtom);
  }

  /**
   * Returns the readable facts of the operations for the error part and the record: the format of the one at fault, and headers
   * of the last one, which the service has read by then. It looks for the table before it reads the others.
   * Source: batch 3; checks-order 1.
   */
  readFailed(
    parts: readonly BatchPart[],
    { at = 0, code }: TableError,
  ): Pick<FailedTransactionAnswer, 'part' | 'operation' | 'laterPrefer'> {
    const contentId = parts.at(-1)?.headers['content-id'];
    const failed = this.#tryRead(parts[at]);
    const later = code === 'TableNotFound' ? [] : parts.slice(at + 1, this.#service.dialect.requests.operationsMax);
    const preferences = later.map((part) => this.#tryRead(part)?.representation.prefer);
    return {
      part: { representation: failed?.representation ?? jsonOfErrors, contentId },
      operation: failed?.row.operation.name,
      laterPrefer: preferences.findLast((prefer) => prefer !== undefined),
    };
  }

  /** Returns the table that a part addresses; undefined if it cannot be read, or addresses none. */
  tableOf(part: BatchPart | undefined): string | undefined {
    const resource = this.#tryRead(part)?.request.resource;
    return resource && 'table' in resource ? resource.table : undefined;
  }

  #tryRead(part: BatchPart | undefined): Routed | undefined {
    try {
      return part && this.read(part);
    } catch (error) {
      if (error instanceof TableError) return undefined;
      throw error;
    }
  }
}
