import type { TableErrorCode } from '../../protocol/error-codes.js';
import type { ExplainedDetail, Explanation } from '../../protocol/explanation.js';
import type { OperationName } from '../../protocol/operation-names.js';
import { refusalWords } from './refusal-words.js';

/** The last change of an entity that is known. */
export interface LastChange {
  readonly isDeletion: boolean;
  /** When it was written. Milliseconds since 1970. */
  readonly at: number;
  /** The ETag that it gave to the entity. */
  readonly etag: string;
  readonly mark: string | undefined;
  /** The request that asked for it; undefined if none did. */
  readonly writer: ChangingRequest | undefined;
}

/** A request that changed an entity. */
export interface ChangingRequest {
  readonly requestId: string;
  readonly clientRequestId: string | undefined;
  readonly operation: OperationName | undefined;
  readonly caller: string | undefined;
  readonly userAgent: string | undefined;
}

/** A write that the state of its entity refused. */
export interface RefusedWrite {
  readonly code: TableErrorCode;
  /** The ETag of If-Match, if it names one. */
  readonly sentEtag: string | undefined;
  /** The ETag of the entity; undefined if it is missing or not known. */
  readonly presentEtag: string | undefined;
  /** `x-ms-client-request-id` of the refused request. */
  readonly clientRequestId: string | undefined;
  /** Whether the ETag of If-Match is known as one that this entity had. */
  readonly isOwnTag: boolean;
  /** Whether other servers write into the same database. */
  readonly isShared: boolean;
}

/** The short name of the cause when the change is known that a code is due to. */
const causes: Readonly<Partial<Record<TableErrorCode, string>>> = {
  EntityAlreadyExists: 'entity-exists',
  UpdateConditionNotSatisfied: 'etag-outdated',
  ResourceNotFound: 'entity-deleted',
};

/**
 * Explains a refusal by the last known change of the entity: who wrote it, and when. The change is only named if its ETag is
 * the present one, so it is certain that it caused the refusal. Returns undefined if the change explains nothing.
 */
export function explainConflict(write: RefusedWrite, last: LastChange | undefined): Explanation | undefined {
  const { code, presentEtag } = write;
  const isMissing = code === 'ResourceNotFound';
  const isCause = last && (isMissing ? last.isDeletion : last.etag === presentEtag);
  if (!isCause) return isMissing ? undefined : explainUnknown(write);
  const isRepeated = write.clientRequestId !== undefined && last.writer?.clientRequestId === write.clientRequestId;
  return {
    ...(isRepeated ? wordsOfRepetition(last) : wordsOfChange(write, last)),
    details: [...etagsOf(write), ...detailsOf(last)],
  };
}

/** Explains a refusal whose cause another server wrote, or a request that is not kept. */
function explainUnknown(write: RefusedWrite): Explanation {
  const { text, advice } = wordsOf(write);
  const others = write.isShared ? ' Another server on the same database may have made it.' : '';
  return {
    cause: write.code,
    text: `${text} This server no longer has that change, so the request that made it is unknown.${others}`,
    ...(advice !== undefined && { advice }),
    details: etagsOf(write),
  };
}

function wordsOfChange(write: RefusedWrite, last: LastChange): Explanation {
  const { code } = write;
  const { text, advice } = wordsOf(write);
  const verb = last.isDeletion ? 'deleted' : 'wrote';
  const what = code === 'ResourceNotFound' ? 'There is no such entity.' : text;
  return {
    cause: isForeignTag(write) ? 'etag-foreign' : (causes[code] ?? code),
    text: `${what} ${requestOf(last)} ${verb} it at ${timeOf(last)}.`,
    ...(advice !== undefined && { advice }),
  };
}

/** Returns what a refusal means. Only an ETag that the entity had before was outdated by a change. */
function wordsOf(write: RefusedWrite): { readonly text: string; readonly advice?: string } {
  const { text = '', advice } = refusalWords[write.code];
  const usual = { text, ...(advice !== undefined && { advice }) };
  if (write.code !== 'UpdateConditionNotSatisfied') return usual;
  if (write.isOwnTag) return { ...usual, text: 'The entity was changed after the ETag in If-Match was read.' };
  if (isForeignTag(write)) {
    return {
      text: 'The ETag in If-Match is later than the current one, so it belongs to another entity or to a state that was undone.',
      advice: 'Send the ETag from the last read of this entity.',
    };
  }
  return {
    ...usual,
    text: `${text} The entity was changed after that ETag was read, or the ETag belongs to another entity.`,
  };
}

/** Returns whether the ETag of a write is later than that of the entity, which no earlier read can have returned. */
function isForeignTag({ sentEtag, presentEtag, isOwnTag }: RefusedWrite): boolean {
  if (sentEtag === undefined || presentEtag === undefined || isOwnTag) return false;
  const timeOfTag = (etag: string) => decodeURIComponent(etag).replace(/Z'"$/, '');
  return timeOfTag(sentEtag) > timeOfTag(presentEtag);
}

function wordsOfRepetition(last: LastChange): Explanation {
  return {
    cause: 'own-repetition',
    text: `A request with the same x-ms-client-request-id made the change: ${requestOf(last)} at ${timeOf(last)}.`,
    advice:
      'If the client sends requests again whose answer was lost, this one had succeeded: count the refusal as success.',
  };
}

function requestOf({ writer }: LastChange): string {
  if (!writer) return 'The program of the server';
  return `${writer.operation ?? 'A request'} (request ${writer.requestId})`;
}

function timeOf({ at }: LastChange): string {
  return new Date(at).toISOString();
}

function etagsOf({ sentEtag, presentEtag }: RefusedWrite): readonly ExplainedDetail[] {
  return [
    ...(sentEtag === undefined ? [] : [{ name: 'If-Match', value: sentEtag, holds: sentEtag === presentEtag }]),
    ...(presentEtag === undefined ? [] : [{ name: 'present ETag', value: presentEtag }]),
  ];
}

function detailsOf(last: LastChange): readonly ExplainedDetail[] {
  const { writer, mark } = last;
  const found = {
    'written by': writer?.requestId,
    operation: writer?.operation,
    'client request id': writer?.clientRequestId,
    client: writer && [writer.caller, writer.userAgent].filter((text) => text !== undefined).join(' '),
    at: timeOf(last),
    mark,
  };
  return Object.entries(found).flatMap(([name, value]) => (value === undefined ? [] : [{ name, value }]));
}
