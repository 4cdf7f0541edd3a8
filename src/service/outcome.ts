import type { RequestFacts, WrittenHead } from '../dialects/dialect.js';
import type { Body } from '../formats/json/page-buffer.js';
import { atomOfErrors, jsonOfErrors, type Representation } from '../formats/representation.js';
import { TableError } from '../protocol/errors.js';
import type { Explanation } from '../protocol/explanation.js';
import { alwaysSent, exposableHeaders } from '../protocol/headers.js';
import type { CorsRule } from '../protocol/service-properties.js';
import { newestVersion, servedVersion } from '../protocol/versions.js';
import { StoreUnavailable, WritesObstructed } from '../store/store-unavailable.js';
import type { ServiceAnswer } from './answers.js';
import { writeBatch } from './batch/write-batch.js';
import { corsHeaders, noRules, preflightHeaders, settleRules } from './cors.js';
import { explain } from './explain.js';
import type { FaultMarks } from './gate.js';
import { formatOfEarlyError } from './negotiate.js';
import type { Service } from './service.js';
import { ClientGone, type Reached } from './stages.js';

/** The outcome of one request. The wire sends it; journal, log, metrics and traces read it. */
export interface Outcome {
  readonly reached: Reached;
  /** Whether the client has left, so that nothing is sent. */
  readonly isGone: boolean;
  /** Status, reason and headers. The wire adds those of the connection: length or chunks, and the date. */
  readonly head: WrittenHead;
  /** A text, or the bytes of a long page; undefined: none. */
  readonly body: Body | undefined;
  /** Why the request was rejected, with evidence; undefined if it was not. */
  readonly rejection: TableError | undefined;
  /** The explanation for a developer; undefined without an explainer. */
  readonly explanation: Explanation | undefined;
  /** The effects of injected faults; undefined if no rule was active. */
  readonly faults: FaultMarks | undefined;
}

/** The head of an answer that nobody receives. Its status is for observers alone. */
const goneHead: WrittenHead = { status: 499, headers: [] };

type Written = readonly [head: WrittenHead, body: Body | undefined];

/** Writes the answer in the dialect of the service. Errors: Abandoned if the client leaves while a long page is written. */
export function tell(
  service: Service,
  reached: Reached,
  rules: readonly CorsRule[],
  faults: FaultMarks | undefined,
): Outcome | Promise<Outcome> {
  const { done } = reached;
  if (!done) throw new Error('nothing was answered');
  const written = write(service, done.answer, factsOf(service, reached));
  if (written instanceof Promise) return written.then((it) => finish(service, reached, rules, it, undefined, faults));
  return finish(service, reached, rules, written, undefined, faults);
}

function write({ dialect, now }: Service, answer: ServiceAnswer, facts: RequestFacts): Written | Promise<Written> {
  if (answer.kind === 'preflight') {
    const head = dialect.writePreflightHead(facts);
    head.headers.push(...preflightHeaders(answer));
    return [head, undefined];
  }
  if (answer.kind === 'transaction' || answer.kind === 'failed-transaction') {
    return writeBatch(answer, dialect, facts, now).then(({ contentType, body }) => [
      dialect.writeTransactionHead(contentType, facts),
      body,
    ]);
  }
  const head = dialect.writeAnswer(answer, facts);
  const { body } = head;
  return body instanceof Promise ? body.then((done) => [head, done]) : [head, body];
}

/**
 * Returns the outcome of a request that ended before its answer: it was rejected, or its client has left. Any error that is not
 * one of the service is logged, unless it is an obstacle that the store has reported, and answered as InternalError.
 */
export async function reject(
  service: Service,
  reached: Reached,
  error: unknown,
  faults: FaultMarks | undefined,
): Promise<Outcome> {
  const { received, addressed } = reached;
  let { rules } = reached;
  let fault = error;
  if (rules instanceof Promise && addressed) {
    try {
      rules = await settleRules(service, addressed, rules);
    } catch (earlier) {
      rules = noRules;
      fault = earlier;
    }
  }
  if (fault instanceof ClientGone || received.isGone()) {
    return {
      reached,
      isGone: true,
      head: goneHead,
      body: undefined,
      rejection: undefined,
      explanation: undefined,
      faults,
    };
  }
  if (!(fault instanceof TableError || fault instanceof WritesObstructed))
    service.report(fault, 'request failed', received.id);
  const rejection = errorOf(fault);
  const head = service.dialect.writeError(rejection, factsOf(service, reached), new Date(service.now()));
  return finish(service, reached, await rules, [head, head.body], rejection, faults);
}

/** Returns the error to send. A write of unknown outcome times out, which means exactly that to clients. */
function errorOf(error: unknown): TableError {
  if (error instanceof TableError) return error;
  if (!(error instanceof StoreUnavailable)) return new TableError('InternalError');
  if (error instanceof WritesObstructed) {
    return new TableError('ServerBusy', { evidence: () => ({ check: 'obstacle', fault: error.message }) });
  }
  return new TableError(error.outcome === 'unknown' ? 'OperationTimedOut' : 'ServerBusy');
}

function factsOf({ dialect, pages }: Service, { received, addressed, routed }: Reached): RequestFacts {
  const named = addressed ? addressed.namedVersion : received.headers['x-ms-version'] || undefined;
  return {
    request: received,
    requestId: received.id,
    clientRequestId: received.headers['x-ms-client-request-id'],
    namedVersion: named,
    version: addressed?.version ?? (dialect.requests.isVersioned ? servedVersion(named) : newestVersion),
    accept: received.headers['accept'],
    operation: routed?.row.operation.name,
    representation: routed?.representation ?? earlyForm(received.headers['accept'], dialect.requests.speaksAtom),
    speaksXml: addressed?.speaksXml ?? false,
    isGone: () => received.isGone(),
    pages,
  };
}

/** Returns the form of an error that occurs before the form of the answer is negotiated. */
function earlyForm(accept: string | undefined, speaksAtom: boolean): Representation {
  return formatOfEarlyError(accept, speaksAtom) === 'atom' ? atomOfErrors : jsonOfErrors;
}

/** Adds the headers of CORS rules and faults, and explains a rejection. */
function finish(
  service: Service,
  reached: Reached,
  rules: readonly CorsRule[],
  [head, body]: Written,
  rejection: TableError | undefined,
  faults: FaultMarks | undefined,
): Outcome {
  if (rules.length > 0) addCorsHeaders(head.headers, reached, rules);
  if (faults) head.headers.push(...faults.headers);
  const outcome = { reached, isGone: false, head, body, rejection, explanation: undefined, faults };
  return service.explainer ? explain(service, outcome) : outcome;
}

/** Adds the headers that pages of other origins need to read the answer. */
function addCorsHeaders(headers: string[], { received, addressed }: Reached, rules: readonly CorsRule[]): void {
  const sent = exposableHeaders.filter(
    (name) =>
      alwaysSent.includes(name) || (hasHeader(headers, name) && !(addressed?.speaksXml && name === 'Content-Type')),
  );
  headers.push(...corsHeaders(received, rules, sent));
}

/** Returns whether a header is present. Only every other element is a name; clients may choose the values between them. */
export function hasHeader(pairs: readonly string[], name: string): boolean {
  for (let at = 0; at < pairs.length; at += 2) if (pairs[at] === name) return true;
  return false;
}
