import { writeEtag } from '../../entity/stored/entity.js';
import type { Body } from '../../formats/json/page-buffer.js';
import type { Prefer, Representation } from '../../formats/representation.js';
import type { Answer } from '../../operations/answer.js';
import type { RequestFacts, WrittenAnswer, WrittenHead } from '../dialect.js';
import { tablePlace, writeEntityToken, writeTableToken } from './tokens.js';
import {
  entityUrl,
  etagOfRow,
  instantOf,
  tablePath,
  writeEntity,
  writeEntityPage,
  writeTable,
  writeTablePage,
} from './write-body.js';

/** An answer as Cosmos DB sends it: status, headers that only this answer has, and body. */
interface DescribedAnswer {
  readonly status: number;
  readonly body?: Body | Promise<Body>;
  readonly contentType?: string;
  readonly etag?: string;
  readonly location?: string;
  readonly preferenceApplied?: Prefer | undefined;
  /** Headers that lead to the next page, as flat pairs. */
  readonly continuation?: readonly string[] | undefined;
}

/** The type of an upsert that has no body. Source: cosmos 1. */
const emptyType = 'application/json';

/** Returns an answer as Cosmos DB sends it. Source: cosmos 1; cosmos 4; cosmos 5. */
export function describeAnswer(
  answer: Answer,
  representation: Representation,
  facts: Pick<RequestFacts, 'isGone' | 'pages'>,
): DescribedAnswer {
  const { prefer, links } = representation;
  const contentType = jsonType(representation.level);
  switch (answer.kind) {
    case 'entity': {
      const { text, select } = answer;
      return { status: 200, contentType, etag: etagOfRow(text), body: writeEntity(text, select, representation) };
    }
    case 'entity-inserted': {
      const { key, text } = answer;
      const headers = { etag: etagOfRow(text), location: entityUrl(key, links), preferenceApplied: prefer };
      if (prefer === 'return-no-content') return { status: 204, ...headers };
      return { status: 201, ...headers, contentType, body: writeEntity(text, undefined, representation) };
    }
    case 'entity-updated': {
      const type = answer.isUpsert ? { contentType: emptyType } : {};
      return { status: 204, etag: etagOfRow(answer.text), preferenceApplied: prefer, ...type };
    }
    case 'entities': {
      const { page, query } = answer;
      const body = writeEntityPage(page.rows, query.select, representation, facts);
      if (!page.next) return { status: 200, contentType, body };
      const token = writeEntityToken(page.next, page.rows.length, query.startAt !== undefined);
      const continuation = ['x-ms-continuation-NextPartitionKey', token, 'x-ms-continuation-NextRowKey', 'NA'];
      return { status: 200, contentType, body, continuation };
    }
    case 'table':
      return { status: 200, contentType, body: writeTable(answer.name, representation) };
    case 'table-created': {
      const location = `${links.base}/${tablePath(answer.name)}`;
      const headers = { etag: writeEtag(instantOf(answer.created)), location, preferenceApplied: prefer };
      if (prefer === 'return-no-content') return { status: 204, ...headers };
      return { status: 201, contentType, ...headers, body: writeTable(answer.name, representation) };
    }
    case 'tables': {
      const { tables, next } = answer;
      const names = tables.map(({ name }) => name);
      const body = writeTablePage(names, representation, facts);
      if (!next) return { status: 200, contentType, body };
      const token = writeTableToken(tablePlace(next.name), names.length);
      return { status: 200, contentType, body, continuation: ['x-ms-continuation-NextTableName', token] };
    }
    case 'entity-deleted':
    case 'table-deleted':
      return { status: 204 };
    default:
      throw new Error(`Cosmos DB has no answer of the kind ${answer.kind}`);
  }
}

/** Returns the `Content-Type` of JSON at a level. Source: cosmos 1. */
export function jsonType(level: Representation['level']): string {
  return `application/json;odata=${level === 'atom' ? 'minimalmetadata' : level}`;
}

/** Returns the headers of an answer. There are hardly any that all answers have. Source: cosmos 1; cosmos 10. */
export function answerHeaders(
  { requestId }: Pick<RequestFacts, 'requestId'>,
  { contentType, etag, location, preferenceApplied, continuation = [] }: Omit<DescribedAnswer, 'status'>,
): string[] {
  const headers: string[] = [];
  if (contentType !== undefined) headers.push('Content-Type', contentType);
  if (etag !== undefined) headers.push('ETag', etag);
  if (location !== undefined) headers.push('Location', location);
  if (preferenceApplied !== undefined) headers.push('Preference-Applied', preferenceApplied);
  headers.push(...continuation, 'x-ms-request-id', requestId);
  return headers;
}

/** The reason phrases that differ from the usual ones. Source: cosmos 1. */
const okReason = 'Ok';

/** Writes the answer of an operation. An empty one has a type and no length. Source: cosmos 1; cosmos 10. */
export function writeAnswer(answer: Answer, facts: RequestFacts): WrittenAnswer {
  const { body, ...described } = describeAnswer(answer, facts.representation, facts);
  const { status } = described;
  if (body === undefined) {
    const headers = answerHeaders(facts, { ...described, contentType: 'application/json' });
    return { status, headers, isBare: true };
  }
  const reason = status === 200 || answer.kind === 'table-created' ? { reason: okReason } : {};
  return { status, ...reason, headers: answerHeaders(facts, described), body };
}

/** Writes the head of the answer of a transaction. Source: cosmos 1. */
export function writeTransactionHead(contentType: string, facts: RequestFacts): WrittenHead {
  return { status: 202, headers: answerHeaders(facts, { contentType }) };
}

/** Writes the head of the answer to a preflight request. There is none: Cosmos DB has no CORS rules. Source: cosmos 13. */
export function writePreflightHead(facts: RequestFacts): WrittenHead {
  return { status: 200, headers: answerHeaders(facts, {}) };
}
