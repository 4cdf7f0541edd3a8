import type { Body, PageMemory } from '../formats/json/page-buffer.js';
import type { Prefer, Representation } from '../formats/representation.js';
import type { Answer } from '../operations/answer.js';
import type { OperationRules } from '../operations/operation-rules.js';
import type { DialectName } from '../protocol/access/accounts.js';
import type { TableError } from '../protocol/errors.js';
import type { HeaderFields } from '../protocol/header-fields.js';
import type { OperationName } from '../protocol/operation-names.js';
import type { ServiceTraits } from '../protocol/service-traits.js';
import type { RequestRules } from './request-rules.js';

/** The head of a request as it was sent. */
interface SentHead {
  readonly method: string;
  /** Path and query, or an absolute URL. */
  readonly target: string;
  readonly headers: HeaderFields;
}

/** The facts of a request that a dialect needs to write the answer. */
export interface RequestFacts {
  /** `x-ms-request-id` of the answer and `RequestId:` of an error text. */
  readonly requestId: string;
  /** The client's own id of the request, if it sent one. */
  readonly clientRequestId: string | undefined;
  readonly namedVersion: string | undefined;
  readonly version: string;
  readonly accept: string | undefined;
  /** Undefined before the operation is found. */
  readonly operation: OperationName | undefined;
  /** Verb, target and headers as sent. */
  readonly request: SentHead;
  /** The form of the answer. Before negotiation it is the default. */
  readonly representation: Representation;
  /** Whether all answers of the operation are XML. */
  readonly speaksXml: boolean;
  isGone(): boolean;
  readonly pages: PageMemory;
}

/** Status and headers of an answer or an error. */
export interface WrittenHead {
  readonly status: number;
  /** The reason phrase. Absent: the usual one of the status. */
  readonly reason?: string;
  /** Flat pairs. The service adds CORS headers, and the wire `Content-Length` or chunks if the length is not among them. */
  readonly headers: string[];
  /** Whether the connection ends with the answer. Absent: it stays open. */
  readonly closes?: true;
  /** Whether an answer without a body has no `Content-Length` either. Absent: it has one. */
  readonly isBare?: true;
}

/** A written answer: head and body. */
export interface WrittenAnswer extends WrittenHead {
  /** Absent: no body. A promise while a long page is written; it rejects with Abandoned if the client leaves. */
  readonly body?: Body | Promise<Body> | undefined;
}

/** A written error: head and body. */
export interface WrittenError extends WrittenHead {
  readonly body: string;
}

/** One operation of a transaction, as a dialect sees it. */
export interface PartFacts {
  readonly representation: Representation;
  readonly contentId: string | undefined;
}

/** A failed transaction. */
export interface FailedTransaction {
  /** Whether the transaction is a change set with one operation. */
  readonly isSingle: boolean;
  /** The representation of the operation at fault, and the `Content-ID` of the last operation. Source: batch 3. */
  readonly part: PartFacts;
  /** The preference of the last operation with `Prefer` after the one at fault. */
  readonly laterPrefer: Prefer | undefined;
}

/** One part of a multipart answer. */
export interface WrittenPart {
  readonly status: number;
  /** The lines of the headers, each with its line end. */
  readonly headers: string;
  /** Absent: no body. A promise as in `WrittenAnswer`. */
  readonly body?: Body | Promise<Body> | undefined;
}

/** The line ends of a multipart answer. */
interface MultipartLines {
  /** After each boundary and header of a part, up to its status line. */
  readonly ofParts: string;
  /** After the boundary that ends the change set. */
  readonly afterChangeSet: string;
}

/**
 * The way in which a service reads requests and writes its answers: status, texts, headers and formats. Each listener has its
 * dialect. Operations do not use it: they receive its rules, and their answers and errors are values.
 *
 * A dialect is data and pure functions, in its own folder.
 */
export interface Dialect {
  readonly name: DialectName;
  readonly traits: ServiceTraits;
  readonly requests: RequestRules;
  readonly operations: OperationRules;
  readonly multipart: MultipartLines;
  writeAnswer(answer: Answer, facts: RequestFacts): WrittenAnswer;
  /** Writes the head of the answer of a transaction. `contentType` contains the boundary of the parts. */
  writeTransactionHead(contentType: string, facts: RequestFacts): WrittenHead;
  /** Writes the head of the answer to a preflight request. The service adds the headers that a CORS rule grants. */
  writePreflightHead(facts: RequestFacts): WrittenHead;
  writeError(error: TableError, facts: RequestFacts, now: Date): WrittenError;
  writePart(answer: Answer, part: PartFacts, facts: RequestFacts): WrittenPart;
  writeErrorPart(error: TableError, failed: FailedTransaction, facts: RequestFacts, now: Date): WrittenPart;
}
