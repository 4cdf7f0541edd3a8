import type { MetadataLevel } from '../protocol/edm.js';
import type { TableError } from '../protocol/errors.js';

/** What a dialect may know of an exchange. */
export interface ExchangeFacts {
  /** `x-ms-request-id` of the answer and `RequestId:` of an error text. */
  readonly requestId: string;
  /** The client's own id of the request, if it sent one. */
  readonly clientRequestId: string | undefined;
  /** The version the request named; undefined when it named none. */
  readonly namedVersion: string | undefined;
  /** The version that decides what is served. */
  readonly version: string;
  readonly accept: string | undefined;
  /** Settled by negotiation; errors before it are at the default. */
  readonly level: MetadataLevel;
  /** What a POST asked for in `Prefer`, once it is read. */
  readonly prefer: string | undefined;
  /** Whether the operation answers in XML only. */
  readonly speaksXml: boolean;
}

/** Headers that an operation gives its answer. */
export interface OwnHeaders {
  readonly etag?: string;
  readonly location?: string;
  readonly dataServiceId?: string;
  readonly preferenceApplied?: string;
  /** Headers that lead to the next page, as flat pairs. */
  readonly continuation?: readonly string[];
}

/** An error as it is sent. */
export interface WrittenError {
  readonly status: number;
  /** The reason phrase; absent: the usual one of the status. */
  readonly reason?: string;
  /** As flat pairs. A body without `Content-Length` among them goes out chunked. */
  readonly headers: string[];
  readonly body: string;
  /** Whether pages of other origins may read it. */
  readonly hasCorsHeaders: boolean;
}

/** What a dialect knows of one operation of a transaction. */
export interface PartFacts {
  readonly level: MetadataLevel;
  readonly prefer: string | undefined;
  /** `Content-ID` of the operation's own headers. */
  readonly contentId: string | undefined;
}

/** The error that a failed transaction answers with. */
export interface FailedTransaction {
  readonly requestId: string;
  /** Whether the transaction is a change set with one operation. */
  readonly isSingle: boolean;
  /** The operation at fault. */
  readonly part: PartFacts;
}

/** One part of a multipart answer. */
export interface WrittenPart {
  readonly status: number;
  /** Whole lines, without line ends. */
  readonly headers: readonly string[];
  readonly body: string;
}

/**
 * How a service writes its answers: status, texts, header sets and formats. Each exchange carries its dialect. Operations
 * know none: they return values, and throw errors that are values too.
 *
 * A dialect is data and pure functions. Another one (of Cosmos DB, or the Atom format) is a folder beside `storage`.
 */
export interface Dialect {
  readonly name: string;
  /** `Content-Type` of JSON at a level. */
  jsonType(level: MetadataLevel): string;
  /** Headers of an answer of tables or entities, as flat pairs in their order. */
  answerHeaders(exchange: ExchangeFacts, contentType: string | undefined, own: OwnHeaders): string[];
  /** Headers of an answer in XML and of a preflight request, as flat pairs in their order. */
  plainHeaders(exchange: ExchangeFacts, contentType: string | undefined): string[];
  /** Header lines of one part of a transaction's answer; without `contentType` the part has no body. */
  partHeaders(part: PartFacts, contentType: string | undefined, own: OwnHeaders): readonly string[];
  writeError(error: TableError, exchange: ExchangeFacts, now: Date): WrittenError;
  /** The one part that a failed transaction answers with. */
  writeErrorPart(error: TableError, failed: FailedTransaction, now: Date): WrittenPart;
}
