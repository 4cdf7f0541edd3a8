import type { Explanation } from '../explain/explanation.js';
import { type Exchange, header } from './exchange.js';
import type { RequestRecord } from './request-record.js';

/** Explains why a request was refused. It never changes the answer. Implemented above http. */
export type RefusalExplainer = (record: RequestRecord) => Explanation;

/** A request with this header gets the explanation in a header of the answer. */
const askingHeader = 'x-tabularium-explain';

/** Longest explanation in a header. Unit: characters. Ours: all headers of an answer stay small. */
const headerUnitsMax = 1024;

/** Notes the explanation of a refusal. If the request asks for it, the answer gets it as a header before it is sent. */
export function noteExplanation(exchange: Exchange, explain: RefusalExplainer): void {
  const explanation = explain(exchange);
  exchange.explanation = explanation;
  const { request, response, requestId } = exchange;
  if (header(request, askingHeader) !== '1' || response.headersSent) return;
  response.setHeader('x-tabularium-why', writeHeader(explanation));
  response.setHeader('x-tabularium-request', requestId);
}

/** Writes an explanation as the value of a header: ASCII on one line. */
function writeHeader({ cause, text, advice }: Explanation): string {
  const line = [`${cause}; ${text}`, ...(advice === undefined ? [] : [advice])].join(' ');
  return line.replace(/[^\x20-\x7e]/g, '?').slice(0, headerUnitsMax);
}
