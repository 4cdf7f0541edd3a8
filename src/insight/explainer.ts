import type { Accounts } from '../auth/accounts.js';
import { writeEtag } from '../entity/stored/entity.js';
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
import type { ChangeRing, SoughtEntity } from './journal/changes/change-ring.js';
import { explainConflict } from './why/explain-conflict.js';
import { explainRefusal, signatureCodes } from './why/explain-refusal.js';

/**
 * How many requests a second have their signature examined. (Our choice: one takes about a millisecond, so a client that is
 * always refused costs the others at most a fiftieth of the processor.)
 */
const examinedPerSecond = 20;

/** The parts of a server that explanations use. */
export interface ExplainerFacts {
  readonly accounts: Accounts;
  /** Milliseconds since 1970: the clock by which signatures are checked. */
  readonly now: () => number;
  /** The same for Shared Key requests, which no test clock moves. */
  readonly realNow: () => number;
  readonly store: Pick<Store, 'clockAheadMs'>;
  /** The last changes of the server. */
  readonly changes: ChangeRing;
  readonly costsOf: CostsOf;
  /** Whether other servers write into the same database. */
  readonly isShared: boolean;
}

/** Explains refused requests of a server. */
export class Explainer implements RequestExplainer {
  readonly #facts: ExplainerFacts;
  #second = 0;
  #examined = 0;

  constructor(facts: ExplainerFacts) {
    this.#facts = facts;
  }

  /** Explains why a request was refused, or an operation of its transaction. */
  explain(record: RequestRecord): Explanation {
    const { refusal, failedPart } = record;
    const error = refusal ?? failedPart?.refusal ?? new TableError('InternalError');
    const explanation = naming(
      record.fault,
      this.#explainByChange(record, error) ?? this.#explainByRequest(record, error),
    );
    const at = failedPart?.refusal.at;
    // No operation is at fault for being one too many.
    if (at === undefined || explanation.cause === 'changes-too-many') return boundExplanation(explanation);
    return boundExplanation({
      ...explanation,
      text: `Operation ${at} of the transaction, counted from 0: ${explanation.text}`,
    });
  }

  /** Returns how the cloud finds the entities of a request that was answered. */
  classOf({ operation, query, account }: RequestRecord): string | undefined {
    if (query) return this.#facts.costsOf(account).classify(query.filter).class;
    return pointOperations.has(operation) ? 'point' : undefined;
  }

  #explainByRequest(record: RequestRecord, error: TableError): Explanation {
    const { request, address, failedPart } = record;
    const { accounts, now: readClock, realNow, store } = this.#facts;
    const now = readClock();
    return explainRefusal(
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

  /** Explains a refusal that the state of an entity caused, by the change that made the state. */
  #explainByChange(record: RequestRecord, error: TableError): Explanation | undefined {
    const refused = refusedEntity(record, error);
    if (!refused) return undefined;
    const { entity, ...etags } = refused;
    const last = this.#facts.changes.findLast(entity);
    const { sentEtag } = etags;
    const isOwnTag =
      sentEtag !== undefined &&
      this.#facts.changes.findLast(entity, ({ timestamp }) => writeEtag(timestamp) === sentEtag) !== undefined;
    return explainConflict(
      { code: error.code, ...etags, isOwnTag, clientRequestId: record.clientRequestId, isShared: this.#facts.isShared },
      last && { ...last, isDeletion: last.kind === 'delete', etag: writeEtag(last.timestamp) },
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

/** Returns an explanation that names the fault rules that acted on the request. */
function naming(fault: string | undefined, explanation: Explanation): Explanation {
  if (fault === undefined || explanation.cause === 'fault') return explanation;
  return { ...explanation, text: `${explanation.text} These fault rules acted on the request: ${fault}.` };
}

/** An entity whose state refused a request, with the ETags that were compared. */
interface RefusedEntity {
  readonly entity: SoughtEntity;
  readonly sentEtag: string | undefined;
  readonly presentEtag: string | undefined;
}

/**
 * Returns the entity whose state refused a request. The code alone does not tell: ResourceNotFound also answers callers who may
 * not see the entity, and these must learn nothing of the requests of others.
 */
function refusedEntity({ account }: RequestRecord, error: TableError): RefusedEntity | undefined {
  const evidence = error.evidence();
  if (account === undefined || evidence?.check !== 'stored-entity') return undefined;
  const { table, partitionKey, rowKey, sentEtag, presentEtag } = evidence;
  return { entity: { account, table, key: { partitionKey, rowKey } }, sentEtag, presentEtag };
}

/** Longest text of an explanation. Unit: UTF-16 code units. (Our choice: a body decides how long its names and values are.) */
const unitsMax = 1024;

/** How many values an explanation has at most. (Our choice: a signature has fewer parameters.) */
const detailsMax = 64;

/**
 * Returns an explanation as it may be kept, logged and shown: each text is short, owns its memory, and contains no signature, even
 * if the client sent it in another parameter. A fix that is long is left out.
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
