import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Resource } from '../address/resource.js';
import type { Dialect } from '../dialects/dialect.js';
import { jsonOfErrors, type Representation } from '../formats/representation.js';
import type { Explanation } from '../insight/why/explanation.js';
import type { AskedEntities, WrittenEntities } from '../operations/answer.js';
import type { TableError } from '../protocol/errors.js';
import { headersOf } from '../protocol/header-fields.js';
import type { OperationName } from '../protocol/operation-names.js';
import type { CorsRule } from '../protocol/service-properties.js';
import { newestVersion } from '../protocol/versions.js';
import type { AnswerDelivery } from './answer-delivery.js';
import type { KeptBodies } from './kept-bodies.js';
import { nextRequestNumber, writeRequestId } from './request-id.js';
import type { FailedPart, RequestRecord } from './request-record.js';

/** One request and its answer, as far as it is known. Errors are written from it, and observers get it at the end. */
export interface Exchange extends RequestRecord {
  readonly response: ServerResponse;
  /** Decides status, texts, headers and formats of the answer. */
  readonly dialect: Dialect;
  /** The version that the request names, if any. */
  namedVersion: string | undefined;
  /** The version by which the request is served. */
  version: string;
  /** The form of the answer. Before negotiation it is the default. */
  representation: Representation;
  /** Whether it is an operation of `?comp=`, whose answers are XML. */
  speaksXml: boolean;
  /** The account's rules for web pages of other origins. */
  corsRules: readonly CorsRule[];
  operation: OperationName | undefined;
  account: string | undefined;
  resource: Resource | undefined;
  status: number;
  refusal: TableError | undefined;
  failedPart: FailedPart | undefined;
  explanation: Explanation | undefined;
  entitiesRead: number;
  entitiesReturned: number;
  asked: AskedEntities | undefined;
  written: WrittenEntities | undefined;
  continues: boolean;
  requestBytes: number;
  /** Whether the body was read, so that all of the request has arrived. */
  isRead: boolean;
  durationMs: number;
  answerBytes: number;
  /** Headers that the request or a fault rule asked for: names and values in turn. */
  askedHeaders: readonly string[];
  bodies: KeptBodies | undefined;
  fault: string | undefined;
  /** Whether the answer may wait for answers to other requests. */
  isGrouped: boolean;
  /** Sends the answer in another way; undefined: it is sent whole. */
  delivery: AnswerDelivery | undefined;
  /** Returns the time by which answers are dated. Unit: milliseconds since 1970. */
  now(): number;
  /** Returns whether the client has left. */
  isGone(): boolean;
}

const noHeaders: readonly string[] = [];

/** Begins an exchange with a service that speaks this dialect. It checks nothing of the request. */
export function openExchange(
  request: IncomingMessage,
  response: ServerResponse,
  { scheme, caller }: Pick<RequestRecord, 'scheme' | 'caller'>,
  { dialect, now }: Pick<Exchange, 'dialect' | 'now'>,
): Exchange {
  const headers = headersOf(request);
  const namedVersion = headers['x-ms-version'] || undefined;
  const requestNumber = nextRequestNumber();
  return {
    request,
    response,
    scheme,
    caller,
    dialect,
    requestNumber,
    requestId: writeRequestId(requestNumber),
    clientRequestId: headers['x-ms-client-request-id'],
    namedVersion,
    version: dialect.requests.isVersioned ? servedVersion(namedVersion) : newestVersion,
    accept: headers['accept'],
    representation: jsonOfErrors,
    speaksXml: false,
    corsRules: [],
    operation: undefined,
    account: undefined,
    resource: undefined,
    status: 0,
    refusal: undefined,
    failedPart: undefined,
    explanation: undefined,
    entitiesRead: 0,
    entitiesReturned: 0,
    asked: undefined,
    written: undefined,
    continues: false,
    requestBytes: 0,
    isRead: false,
    durationMs: 0,
    answerBytes: 0,
    askedHeaders: noHeaders,
    bodies: undefined,
    fault: undefined,
    isGrouped: false,
    delivery: undefined,
    now,
    isGone: () => response.destroyed,
  };
}

/** Returns the version by which a request is served: the version that it names if it is known, otherwise the newest. */
export function servedVersion(named: string | undefined): string {
  return named === undefined || named > newestVersion ? newestVersion : named;
}
