import { writeEtag } from '../../entity/stored/entity.js';
import type { Body } from '../../formats/json/page-buffer.js';
import type { Prefer, Representation } from '../../formats/representation.js';
import type { Answer } from '../../operations/answer.js';
import type { RequestFacts } from '../dialect.js';
import { instantOf } from './body/instants.js';
import { writeEntity, writeEntityPage, writeTable, writeTablePage } from './body/write-body.js';
import { etagOfRow } from './body/write-row.js';
import { jsonType } from './headers.js';
import { entityUrl, tablePath } from './links.js';
import { tablePlace } from './table-order.js';
import { writeEntityToken, writeTableToken } from './tokens.js';

/** An answer as Cosmos DB sends it: status, headers that only this answer has, and body. */
export interface DescribedAnswer {
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
      const { page, select, asked } = answer;
      const body = writeEntityPage(page.rows, select, representation, facts);
      if (!page.next) return { status: 200, contentType, body };
      const token = writeEntityToken(page.next, page.rows.length, asked?.startAt !== undefined);
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
