import type { RequestRules } from '../dialects/request-rules.js';
import { type BodyOpener, emptyBody, loadAtomOpener } from '../formats/open-body.js';
import type { OperationRow } from '../operations/operation-table.js';
import { headersOf } from '../protocol/header-fields.js';
import { turnForLongWork } from '../store/event-loop-turn.js';
import type { Exchange } from './exchange.js';

import { readContentType } from './negotiate.js';
import { decodeBody, readBody } from './read-body.js';

/** The body of a request as it was sent. */
export interface SentBody {
  readonly text: string;
  readonly open: BodyOpener;
}

/** The body of a request that has none. */
export const noSentBody: SentBody = { text: '', open: () => emptyBody };

/** Longer bodies are parsed one per round of the event loop, because they would add up. Unit: bytes. Our choice: it takes a few milliseconds. */
const longBodyBytes = 256 * 1024;

/**
 * Reads the body of a request whose operation takes one, and notes it. Errors: those of `readBody` and `readContentType`;
 * InvalidXmlDocument or InvalidInput if it is not UTF-8.
 */
export async function readSentBody(
  exchange: Exchange,
  takes: Required<OperationRow>['takes'],
  { openJson, speaksAtom }: RequestRules,
): Promise<SentBody> {
  const { request, version } = exchange;
  const body = await readBody(request);
  exchange.isRead = true;
  exchange.requestBytes = body.length;
  exchange.bodies?.noteRequest(body);
  const text = decodeBody(body, takes === 'xml' ? 'InvalidXmlDocument' : 'InvalidInput');
  const format = readContentType(headersOf(request)['content-type'], takes, version, speaksAtom);
  const open = format === 'json' ? openJson : await loadAtomOpener();
  if (body.length > longBodyBytes) await turnForLongWork();
  return { text, open };
}
