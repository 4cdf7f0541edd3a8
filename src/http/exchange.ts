import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Resource } from '../address/resource.js';
import type { Dialect } from '../dialects/dialect.js';
import { storageDialect } from '../dialects/storage/storage-dialect.js';
import type { OperationRequest } from '../operations/operation.js';
import type { MetadataLevel } from '../protocol/edm.js';
import type { TableError } from '../protocol/errors.js';
import type { CorsRule } from '../protocol/service-properties.js';
import { newestVersion } from '../protocol/versions.js';
import type { RequestRecord } from './request-record.js';

/** One request and its answer, with what is known so far. Refusals are written from it, and observers get it at the end. */
export interface Exchange extends RequestRecord {
  readonly response: ServerResponse;
  /** Decides status, texts, header sets and formats of the answer. */
  readonly dialect: Dialect;
  /** `x-ms-client-request-id` of the request. */
  readonly clientRequestId: string | undefined;
  /** The version the request named; undefined when it named none. */
  namedVersion: string | undefined;
  /** The version that decides what is served. */
  version: string;
  readonly accept: string | undefined;
  /** Settled by negotiation; refusals before it are at the default. */
  level: MetadataLevel;
  /** What a refusal by the engine says in `Preference-Applied`: that of a POST that sent `Prefer`. */
  prefer: OperationRequest['prefer'];
  /** An operation on `?comp=`, all of whose answers are XML. */
  speaksXml: boolean;
  /** The rules of the account for pages of other origins. */
  corsRules: readonly CorsRule[];
  operation: string | undefined;
  account: string | undefined;
  resource: Resource | undefined;
  status: number;
  refusal: TableError | undefined;
  durationMs: number;
  answerBytes: number;
}

/** A header's single value; of a repeated one, the first. */
export function header(request: IncomingMessage, name: string): string | undefined {
  const value = request.headers[name];
  return Array.isArray(value) ? value[0] : value;
}

/** Whether a request came over TLS. */
export function schemeOf({ socket }: IncomingMessage): 'http' | 'https' {
  return 'encrypted' in socket && socket.encrypted ? 'https' : 'http';
}

/** Begins an exchange. Nothing of the request is checked yet. */
export function openExchange(request: IncomingMessage, response: ServerResponse): Exchange {
  const namedVersion = header(request, 'x-ms-version') || undefined;
  return {
    request,
    response,
    dialect: storageDialect,
    requestId: randomUUID(),
    clientRequestId: header(request, 'x-ms-client-request-id'),
    namedVersion,
    version: servedVersion(namedVersion),
    accept: header(request, 'accept'),
    level: 'minimalmetadata',
    prefer: undefined,
    speaksXml: false,
    corsRules: [],
    operation: undefined,
    account: undefined,
    resource: undefined,
    status: 0,
    refusal: undefined,
    durationMs: 0,
    answerBytes: 0,
  };
}

/** The version a request is served as: the one it names, if it is known; else the newest. */
export function servedVersion(named: string | undefined): string {
  return named === undefined || named > newestVersion ? newestVersion : named;
}
