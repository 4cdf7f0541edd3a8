import type { Accounts } from '../auth/accounts.js';
import { writeEtag } from '../entity/stored/entity.js';
import type { TableErrorCode } from '../protocol/error-codes.js';
import { TableError } from '../protocol/errors.js';
import type { ExplainedDetail, Explanation } from '../protocol/explanation.js';
import { anyHeader } from '../protocol/header-fields.js';
import { pointOperations } from '../protocol/operation-names.js';
import { redactSecrets } from '../protocol/redact-secrets.js';
import { ownText } from '../remembered.js';
import type { RequestExplainer } from '../service/explain.js';
import type { RequestRecord } from '../service/observe.js';
import type { Store } from '../store/store.js';
import type { CostsOf } from './coach/feed-coach.js';
import type { ChangeRing, KeptChange, SoughtEntity } from './journal/changes/change-ring.js';
import { explainRejection, signatureCodes } from './why/explain-rejection.js';
import { rejectionWords } from './why/rejection-words.js';

/**
 * Signatures examined per second. (Our choice: each takes about a millisecond, so a client that is always rejected costs at most
 * a fiftieth of the CPU.)
 */
const examinedPerSecond = 20;

/** The parts of a server that explanations use. */
export interface ExplainerFacts {
  readonly accounts: Accounts;
  /** Milliseconds since 1970, on the clock for checking signatures. */
  readonly now: () => number;
  /** The same for Shared Key requests, unaffected by test clocks. */
  readonly realNow: () => number;
  readonly store: Pick<Store, 'clockAheadMs'>;
  readonly changes: ChangeRing;
  readonly costsOf: CostsOf;
  /** Whether other servers write to the same database. */
  readonly isShared: boolean;
}

/** Explains rejected requests of a server. */
export class Explainer implements RequestExplainer {
  readonly #facts: ExplainerFacts;
  #second = 0;
  #examined = 0;

  constructor(facts: ExplainerFacts) {
    this.#facts = facts;
  }

  /** Explains the rejection of a request, or of an operation in its transaction. */
  explain(record: RequestRecord): Explanation {
    const { rejection, failedPart } = record;
    const error = rejection ?? failedPart?.rejection ?? new TableError('InternalError');
    const explanation = naming(
      record.fault,
      this.#explainByChange(record, error) ?? this.#explainByRequest(record, error),
    );
    const at = failedPart?.rejection.at;
    // No single operation is at fault if there are too many.
    if (at === undefined || explanation.cause === 'changes-too-many') return boundExplanation(explanation);
    return boundExplanation({
      ...explanation,
      text: `Operation ${at} of the transaction, counted from 0: ${explanation.text}`,
    });
  }

  /** Returns the query class of an answered request. */
  classOf({ operation, query, account }: RequestRecord): string | undefined {
    if (query) return this.#facts.costsOf(account).classify(query.filter).class;
    return pointOperations.has(operation) ? 'point' : undefined;
  }

  #explainByRequest(record: RequestRecord, error: TableError): Explanation {
    const { request, address, failedPart } = record;
    const { accounts, now: readClock, realNow, store } = this.#facts;
    const now = readClock();
    return explainRejection(
      {
        error,
        method: request.method,
        target: request.target,
        host: request.headers.host ?? '',
        scheme: request.scheme,
        caller: request.caller,
        address,
        realNow: realNow(),
        clockAheadMs: store.clockAheadMs,
        operation: failedPart?.operation ?? record.operation,
        headerNames: Object.keys(request.headers),
        header: (name) => anyHeader(request.headers, name),
      },
      signatureCodes.has(error.code) && this.#mayExamine(realNow()) ? accounts.list() : undefined,
      now,
    );
  }

  /** Explains a rejection due to the state of an entity, by the change that led to it. */
  #explainByChange(record: RequestRecord, error: TableError): Explanation | undefined {
    const rejected = rejectedEntity(record, error);
    if (!rejected) return undefined;
    const { entity, ...etags } = rejected;
    const last = this.#facts.changes.findLast(entity);
    const { sentEtag } = etags;
    const isOwnTag =
      sentEtag !== undefined &&
      this.#facts.changes.findLast(entity, ({ timestamp }) => writeEtag(timestamp) === sentEtag) !== undefined;
    return explainConflict(
      { code: error.code, ...etags, isOwnTag, clientRequestId: record.clientRequestId, isShared: this.#facts.isShared },
      last,
    );
  }

  #mayExamine(now: number): boolean {
    const second = Math.floor(now / 1000);
    if (second !== this.#second) {
      this.#second = second;
      this.#examined = 0;
    }
    return this.#examined++ < examinedPerSecond;
  }
}

/** Adds the fault rules that acted on the request. */
function naming(fault: string | undefined, explanation: Explanation): Explanation {
  if (fault === undefined || explanation.cause === 'fault') return explanation;
  return { ...explanation, text: `${explanation.text} These fault rules acted on the request: ${fault}.` };
}

/** An entity whose state caused a rejection, with the compared ETags. */
interface RejectedEntity {
  readonly entity: SoughtEntity;
  readonly sentEtag: string | undefined;
  readonly presentEtag: string | undefined;
}

/**
 * Returns the entity whose state caused a rejection. The code alone is not enough: ResourceNotFound also answers callers without
 * access to the entity, who must learn nothing about the requests of others.
 */
function rejectedEntity({ account }: RequestRecord, error: TableError): RejectedEntity | undefined {
  const evidence = error.evidence();
  if (account === undefined || evidence?.check !== 'stored-entity') return undefined;
  const { table, partitionKey, rowKey, sentEtag, presentEtag } = evidence;
  return { entity: { account, table, key: { partitionKey, rowKey } }, sentEtag, presentEtag };
}

/** Longest text of an explanation. Unit: UTF-16 code units. (Our choice: names and values in a body can be long.) */
const unitsMax = 1024;

/** Maximum number of values in an explanation. (Our choice: a signature has fewer parameters.) */
const detailsMax = 64;

/**
 * Makes an explanation safe to retain, log and show: each text is short, owns its memory, and contains no signature, even if the
 * client sent it in another parameter. A long fix is omitted.
 */
function boundExplanation(explanation: Explanation): Explanation {
  const { text, advice, details, fix, ...rest } = explanation;
  return {
    ...rest,
    text: bound(text),
    ...(advice !== undefined && { advice: bound(advice) }),
    ...(fix !== undefined && fix.length <= unitsMax && { fix: ownText(fix) }),
    ...(details && { details: details.slice(0, detailsMax).map(boundDetail) }),
  };
}

function boundDetail(detail: ExplainedDetail): ExplainedDetail {
  return { ...detail, name: bound(detail.name), value: bound(detail.value) };
}

function bound(text: string): string {
  const isWhole = text.length <= unitsMax;
  return ownText(isWhole ? redactSecrets(text) : `${redactSecrets(text.slice(0, unitsMax - 1))}…`);
}

/** The last known change of an entity. */
export type LastChange = Pick<KeptChange, 'kind' | 'at' | 'timestamp' | 'mark' | 'writer'>;

/** A write rejected due to the state of its entity. */
export interface RejectedWrite {
  readonly code: TableErrorCode;
  /** The ETag in If-Match. */
  readonly sentEtag: string | undefined;
  /** The ETag of the entity; undefined if the entity is missing or its ETag unknown. */
  readonly presentEtag: string | undefined;
  readonly clientRequestId: string | undefined;
  /** Whether this entity is known to have had the ETag in If-Match. */
  readonly isOwnTag: boolean;
  /** Whether other servers write to the same database. */
  readonly isShared: boolean;
}

/** The cause of a code whose change is known. */
const causes: Readonly<Partial<Record<TableErrorCode, string>>> = {
  EntityAlreadyExists: 'entity-exists',
  UpdateConditionNotSatisfied: 'etag-outdated',
  ResourceNotFound: 'entity-deleted',
};

/**
 * Explains a rejection by the last known change of the entity: its writer and time. It names the change only if that certainly
 * caused the rejection: its ETag is the present one, or it deleted the missing entity. Undefined if no change explains it.
 */
export function explainConflict(write: RejectedWrite, last: LastChange | undefined): Explanation | undefined {
  const { code, presentEtag } = write;
  const isMissing = code === 'ResourceNotFound';
  const isCause = last && (isMissing ? last.kind === 'delete' : writeEtag(last.timestamp) === presentEtag);
  if (!isCause) return isMissing ? undefined : explainUnknown(write);
  const isRepeated = write.clientRequestId !== undefined && last.writer?.clientRequestId === write.clientRequestId;
  return {
    ...(isRepeated ? wordsOfRepetition(last) : wordsOfChange(write, last)),
    details: [...etagsOf(write), ...detailsOf(last)],
  };
}

/** Explains a rejection due to a change by another server, or to one that is no longer retained. */
function explainUnknown(write: RejectedWrite): Explanation {
  const words = wordsOf(write);
  const others = write.isShared ? ' Another server on the same database may have made it.' : '';
  return {
    cause: write.code,
    ...words,
    text: `${words.text} This server no longer has that change, so the request that made it is unknown.${others}`,
    details: etagsOf(write),
  };
}

function wordsOfChange(write: RejectedWrite, last: LastChange): Explanation {
  const { code } = write;
  const words = wordsOf(write);
  const verb = last.kind === 'delete' ? 'deleted' : 'wrote';
  const state = code === 'ResourceNotFound' ? 'There is no such entity.' : words.text;
  return {
    cause: isForeignTag(write) ? 'etag-foreign' : (causes[code] ?? code),
    ...words,
    text: `${state} ${requestOf(last)} ${verb} it at ${timeOf(last)}.`,
  };
}

/** Explains a rejection in words. A change can outdate only an ETag that the entity had before. */
function wordsOf(write: RejectedWrite): Pick<Explanation, 'text' | 'advice'> {
  const usual = rejectionWords[write.code];
  if (write.code !== 'UpdateConditionNotSatisfied') return usual;
  if (write.isOwnTag) return { ...usual, text: 'The entity was changed after the ETag in If-Match was read.' };
  if (isForeignTag(write)) {
    return {
      text: 'The ETag in If-Match is later than the current one, so it belongs to another entity or to a state that was undone.',
      advice: 'Send the ETag from the last read of this entity.',
    };
  }
  return {
    ...usual,
    text: `${usual.text} The entity was changed after that ETag was read, or the ETag belongs to another entity.`,
  };
}

/** Whether the ETag of a write is later than that of the entity. No earlier read can have returned it. */
function isForeignTag({ sentEtag, presentEtag, isOwnTag }: RejectedWrite): boolean {
  if (sentEtag === undefined || presentEtag === undefined || isOwnTag) return false;
  const timeOfTag = (etag: string) => decodeURIComponent(etag).replace(/Z'"$/, '');
  return timeOfTag(sentEtag) > timeOfTag(presentEtag);
}

function wordsOfRepetition(last: LastChange): Explanation {
  return {
    cause: 'own-repetition',
    text: `A request with the same x-ms-client-request-id made the change: ${requestOf(last)} at ${timeOf(last)}.`,
    advice:
      'If the client sends requests again whose answer was lost, this one had succeeded: count the rejection as success.',
  };
}

function requestOf({ writer }: LastChange): string {
  if (!writer) return 'The program of the server';
  return `${writer.operation} (request ${writer.requestId})`;
}

function timeOf({ at }: LastChange): string {
  return new Date(at).toISOString();
}

function etagsOf({ sentEtag, presentEtag }: RejectedWrite): readonly ExplainedDetail[] {
  return [
    ...(sentEtag === undefined ? [] : [{ name: 'If-Match', value: sentEtag, holds: sentEtag === presentEtag }]),
    ...(presentEtag === undefined ? [] : [{ name: 'present ETag', value: presentEtag }]),
  ];
}

function detailsOf(last: LastChange): readonly ExplainedDetail[] {
  const { writer, mark } = last;
  const facts = {
    'written by': writer?.requestId,
    operation: writer?.operation,
    'client request id': writer?.clientRequestId,
    client: writer && [writer.caller, writer.userAgent].filter((text) => text !== undefined).join(' '),
    at: timeOf(last),
    mark,
  };
  return Object.entries(facts).flatMap(([name, value]) => (value === undefined ? [] : [{ name, value }]));
}
