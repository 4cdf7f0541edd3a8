import { randomUUID } from 'node:crypto';
import type { Dialect, RequestFacts, WrittenPart } from '../../dialects/dialect.js';
import type { Body } from '../../formats/json/page-buffer.js';
import type { Eventual } from '../../store/store.js';
import type { AnsweredPart, FailedTransactionAnswer, TransactionAnswer } from '../answers.js';

const end = '\r\n';

/** The answer of a batch. */
export interface Multipart {
  readonly contentType: string;
  readonly body: string;
}

/**
 * Writes the answer of a batch: one part for each operation in a change set, or one for the query, or one for the error. `now`
 * returns the time of an error, in milliseconds since 1970.
 *
 * Errors: Abandoned if the client leaves while the page of a query is written. Source: batch 3.
 */
export async function writeBatch(
  answer: TransactionAnswer | FailedTransactionAnswer,
  dialect: Dialect,
  facts: RequestFacts,
  now: () => number,
): Promise<Multipart> {
  const texts: string[] = [];
  let last: AnsweredPart | undefined;
  for (const part of answer.kind === 'transaction' ? answer.parts : []) {
    // The answers to deletions are all the same.
    if (last && isSame(part, last)) texts.push(texts.at(-1) ?? '');
    else {
      const text = writeHttp(dialect.writePart(part.answer, part, facts));
      texts.push(text instanceof Promise ? await text : text);
    }
    last = part;
  }
  if (answer.kind === 'failed-transaction') {
    texts.push(await writeHttp(dialect.writeErrorPart(answer.error, answer, facts, new Date(now()))));
  }
  const batch = `batchresponse_${randomUUID()}`;
  const contentType = `multipart/mixed; boundary=${batch}`;
  const { ofParts, afterChangeSet } = dialect.multipart;
  if (!answer.isChangeSet) return { contentType, body: joinParts(texts, batch, ofParts) + end };
  const changeSet = `changesetresponse_${randomUUID()}`;
  const inner = `Content-Type: multipart/mixed; boundary=${changeSet}${end}${end}${joinParts(texts, changeSet, ofParts)}`;
  return { contentType, body: `--${batch}${end}${inner}${afterChangeSet}--${batch}--${end}` };
}

function isSame(a: AnsweredPart, b: AnsweredPart): boolean {
  return a.answer === b.answer && a.representation === b.representation && a.contentId === b.contentId;
}

function writeHttp({ status, headers, body }: WrittenPart): Eventual<string> {
  const blank = headers === '' ? end + end : end;
  const start = (statusLines.get(status) ?? `HTTP/1.1 ${status} ${end}`) + headers + blank;
  return body instanceof Promise ? body.then((done) => start + textOf(done)) : start + textOf(body);
}

function textOf(body: Body | undefined): string {
  return typeof body === 'object' ? body.takeText() : (body ?? '');
}

/** Joins parts with a boundary. After a part without a body there is a blank line. */
function joinParts(texts: readonly string[], boundary: string, line: string): string {
  const start = `--${boundary}${line}Content-Type: application/http${line}Content-Transfer-Encoding: binary${line}${line}`;
  let parts = '';
  // `join` would copy each text once more.
  for (const text of texts) parts += start + text + end;
  return `${parts}--${boundary}--`;
}

/** The reason phrase of each status. */
export const statusReasons: ReadonlyMap<number, string> = new Map([
  [200, 'OK'],
  [201, 'Created'],
  [202, 'Accepted'],
  [204, 'No Content'],
  [400, 'Bad Request'],
  [401, 'Unauthorized'],
  [403, 'Forbidden'],
  [404, 'Not Found'],
  [405, 'Method Not Allowed'],
  [409, 'Conflict'],
  [411, 'Length Required'],
  [412, 'Precondition Failed'],
  [413, 'Payload Too Large'],
  [415, 'Unsupported Media Type'],
  [429, 'Too Many Requests'],
  [500, 'Internal Server Error'],
  [501, 'Not Implemented'],
  [503, 'Service Unavailable'],
]);

const statusLines: ReadonlyMap<number, string> = new Map(
  Array.from(statusReasons, ([status, reason]) => [status, `HTTP/1.1 ${status} ${reason}${end}`]),
);
