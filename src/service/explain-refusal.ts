import type { Explanation } from '../insight/why/explanation.js';
import { headersOf } from '../protocol/header-fields.js';
import type { Exchange } from './exchange.js';
import type { RequestRecord } from './request-record.js';

/** Explains requests to the developer who sent them. It never changes an answer. Implemented above http. */
export interface RequestExplainer {
  /** Explains why a request was refused. */
  explain(record: RequestRecord): Explanation;
  /** Returns how the cloud finds the entities of a request, as `table-scan`; undefined if it is not about entities. */
  classOf(record: RequestRecord): string | undefined;
}

/** Longest explanation in a header. Unit: characters. Ours: all headers of an answer stay small. */
const headerUnitsMax = 1024;

/** Notes the explanation of a refusal. If the request asks for it, the answer gets it as headers before it is sent. */
export function noteExplanation(exchange: Exchange, explainer: RequestExplainer): void {
  const explanation = explainer.explain(exchange);
  exchange.explanation = explanation;
  if (!asksForExplanation(exchange)) return;
  exchange.askedHeaders = [
    ...exchange.askedHeaders,
    ...['x-tabularium-why', writeHeader(explanation), 'x-tabularium-request', exchange.requestId],
  ];
}

/** Adds what a request costs in the cloud to the headers of its answer. */
export function noteCost(exchange: Exchange, explainer: RequestExplainer): void {
  const { requestId, entitiesRead, entitiesReturned } = exchange;
  const name = explainer.classOf(exchange);
  exchange.askedHeaders = [
    ...exchange.askedHeaders,
    ...(name === undefined
      ? []
      : ['x-tabularium-class', `${name}; read=${entitiesRead}; returned=${entitiesReturned}`]),
    ...['x-tabularium-request', requestId],
  ];
}

/** Returns whether a request asks for headers that explain its answer. */
export function asksForExplanation({ request }: Exchange): boolean {
  return headersOf(request)['x-tabularium-explain'] === '1';
}

/** Writes an explanation as the value of a header: ASCII on one line. */
function writeHeader({ cause, text, advice }: Explanation): string {
  const line = [`${cause}; ${text}`, ...(advice === undefined ? [] : [advice])].join(' ');
  return line.replace(/[^\x20-\x7e]/g, '?').slice(0, headerUnitsMax);
}
