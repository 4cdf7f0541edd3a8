import { type EntityText, etagOf } from '../../entity/stored/entity.js';
import * as atom from '../../formats/atom/write-atom.js';
import type { Body } from '../../formats/json/page-buffer.js';
import * as json from '../../formats/json/write-json.js';
import { entityUrl, type Prefer, type Representation, tableUrl } from '../../formats/representation.js';
import {
  writeDelegationKeyDocument,
  writePoliciesDocument,
  writePropertiesDocument,
  writeStatsDocument,
} from '../../formats/xml/write-documents.js';
import type { Answer } from '../../operations/answer.js';
import { encodeTableToken, encodeToken } from '../../query/continuation-token.js';
import type { Select } from '../../query/select.js';
import type { Page, Table } from '../../store/store.js';
import type { RequestFacts, WrittenAnswer, WrittenHead } from '../dialect.js';
import { answerHeaders, answerType, plainHeaders } from './headers.js';

/** An answer as the service sends it: status, headers that only this answer has, and body. */
export interface DescribedAnswer {
  readonly status: number;
  readonly body: Body | Promise<Body> | undefined;
  readonly isPage: boolean;
  /** Whether the answer is from a `?comp=` operation. It is XML or has no body, and it has fewer headers. */
  readonly isPlain: boolean;
  readonly etag: string | undefined;
  readonly location: string | undefined;
  readonly dataServiceId: string | undefined;
  readonly preferenceApplied: Prefer | undefined;
  /** Headers that lead to the next page, as flat pairs. */
  readonly continuation: readonly string[] | undefined;
}

/** An answer without a body. All answers have its members, so that their writer sees one object shape. */
const emptyAnswer: DescribedAnswer = {
  status: 204,
  body: undefined,
  isPage: false,
  isPlain: false,
  etag: undefined,
  location: undefined,
  dataServiceId: undefined,
  preferenceApplied: undefined,
  continuation: undefined,
};

/** Writes the answer of an operation. Source: operations 4.1. */
export function writeAnswer(answer: Answer, facts: RequestFacts): WrittenAnswer {
  const { representation } = facts;
  const described = describeAnswer(answer, representation, facts);
  const { status, body, isPlain } = described;
  const headers = isPlain
    ? plainHeaders(facts, body ? 'application/xml' : undefined)
    : answerHeaders(facts, body === undefined ? undefined : answerType(representation, described), described);
  return { status, headers, body };
}

/** Writes the head of the answer of a transaction. Source: batch 3. */
export function writeTransactionHead(contentType: string, facts: RequestFacts): WrittenHead {
  return { status: 202, headers: answerHeaders(facts, contentType, emptyAnswer) };
}

/** Writes the head of the answer to a preflight request. Source: operations 9.1. */
export function writePreflightHead(facts: RequestFacts): WrittenHead {
  return { status: 200, headers: plainHeaders(facts, undefined) };
}

/** Returns an answer as the storage service sends it. Source: operations 8; recordings-facts 1. */
export function describeAnswer(
  answer: Answer,
  representation: Representation,
  facts: Pick<RequestFacts, 'version' | 'isGone' | 'pages'>,
): DescribedAnswer {
  switch (answer.kind) {
    case 'entity': {
      const { text, select } = answer;
      return { ...emptyAnswer, status: 200, etag: etagOf(text), body: writeEntity(text, select, representation) };
    }
    case 'entity-inserted':
      return describeInserted(answer, representation);
    case 'entity-updated':
      return { ...emptyAnswer, status: 204, etag: etagOf(answer.text), preferenceApplied: representation.prefer };
    case 'entity-deleted':
    case 'table-deleted':
      return emptyAnswer;
    case 'entities': {
      const { page, query } = answer;
      const body =
        representation.level === 'atom'
          ? atom.writeEntityPage(page.rows, query.select, representation, facts)
          : json.writeEntityPage(page.rows, query.select, representation, facts);
      return { ...emptyAnswer, status: 200, isPage: true, body, continuation: entityContinuation(page) };
    }
    case 'table':
      return { ...emptyAnswer, status: 200, body: writeTable(answer.name, representation) };
    case 'table-created': {
      const isEmpty = representation.prefer === 'return-no-content';
      const body = isEmpty ? undefined : writeTable(answer.name, representation);
      return describeCreated(tableUrl(answer.name, representation.links), body, representation.prefer);
    }
    case 'tables': {
      const names = answer.tables.map(({ name }) => name);
      const body =
        representation.level === 'atom'
          ? atom.writeTablePage(names, representation, facts)
          : json.writeTablePage(names, representation, facts);
      return { ...emptyAnswer, status: 200, isPage: true, body, continuation: tableContinuation(answer.next) };
    }
    case 'access-policies':
      return { ...emptyAnswer, status: 200, isPlain: true, body: writePoliciesDocument(answer.policies) };
    case 'access-policies-set':
      return { ...emptyAnswer, status: 204, isPlain: true };
    case 'service-properties':
      return {
        ...emptyAnswer,
        status: 200,
        isPlain: true,
        body: writePropertiesDocument(answer.properties, facts.version),
      };
    case 'service-properties-set':
      // The recorded answer has an empty chunked body.
      return { ...emptyAnswer, status: 202, isPlain: true, body: '' };
    case 'user-delegation-key':
      return { ...emptyAnswer, status: 200, isPlain: true, body: writeDelegationKeyDocument(answer.key, answer.value) };
    case 'service-stats':
      return { ...emptyAnswer, status: 200, isPlain: true, body: writeStatsDocument(answer.syncedAt) };
  }
}

function writeEntity(text: EntityText, select: Select | undefined, form: Representation): string {
  return form.level === 'atom' ? atom.writeEntity(text, select, form) : json.writeEntity(text, select, form);
}

function writeTable(name: string, form: Representation): string {
  return form.level === 'atom' ? atom.writeTable(name, form) : json.writeTable(name, form);
}

function describeInserted(
  { key, text }: Extract<Answer, { readonly kind: 'entity-inserted' }>,
  representation: Representation,
): DescribedAnswer {
  const isEmpty = representation.prefer === 'return-no-content';
  const body = isEmpty ? undefined : writeEntity(text, undefined, representation);
  return describeCreated(entityUrl(key, representation.links), body, representation.prefer, etagOf(text));
}

/** Returns the answer to the creation of an entity or a table. Without a body, a further header has its address. */
function describeCreated(
  location: string,
  body: string | undefined,
  prefer: Prefer | undefined,
  etag?: string,
): DescribedAnswer {
  const isEmpty = body === undefined;
  // Without a spread: a transaction has up to a hundred of them.
  return {
    status: isEmpty ? 204 : 201,
    body,
    isPage: false,
    isPlain: false,
    etag,
    location,
    dataServiceId: isEmpty ? location : undefined,
    preferenceApplied: prefer,
    continuation: undefined,
  };
}

/** Returns the headers that continue a query of entities. Source: query 6.4. */
function entityContinuation({ next, startsPartition }: Page): string[] | undefined {
  if (!next) return undefined;
  const partition = ['x-ms-continuation-NextPartitionKey', encodeToken(next.partitionKey)];
  return startsPartition ? partition : [...partition, 'x-ms-continuation-NextRowKey', encodeToken(next.rowKey)];
}

/** Returns the header that continues a query of tables. Source: recordings-facts 5. */
function tableContinuation(next: Table | undefined): string[] | undefined {
  return next && ['x-ms-continuation-NextTableName', encodeTableToken(next)];
}
