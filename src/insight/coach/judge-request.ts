import type { ExplainedRequest } from '../explained-request.js';
import type { JournalEntry } from '../journal/journal.js';
import { ignoredOption, ignoredOptionWords } from '../queries/judge-query.js';
import { queryClassWords } from '../queries/query-classes.js';
import { shownReads } from '../rules/rule.js';
import { adviceOf } from '../rules/rules.js';
import type { Coach } from './coach.js';

/** Describes the cost of a request in the cloud, and its findings. The request was not rejected. */
export function judgeRequest(
  entry: JournalEntry,
  coach: Coach | undefined,
): Pick<ExplainedRequest, 'text' | 'advice' | 'findings' | 'mismatch'> {
  const { status, fault, operation, query, entitiesRead, entitiesReturned, target } = entry;
  const findings = coach?.findingsOf([entry], Date.now()) ?? [];
  const isQuery = operation === 'Query Entities';
  const ignored = isQuery ? ignoredOption(target) : undefined;
  const mismatch = isQuery && entitiesReturned === 0 ? coach?.mismatchIn(entry) : undefined;
  const sentences = [
    status === 499 ? 'The client disconnected before the response was sent.' : wordsOfSuccess(entry),
    ...(fault === undefined ? [] : [`These fault rules acted on it: ${fault}.`]),
    ...(query && (isQuery || operation === 'Get Entity') ? [`In the cloud: ${queryClassWords[query.class]}`] : []),
    ...(ignored === undefined ? [] : [ignoredOptionWords(ignored)]),
    ...(isQuery ? [shownReads(entitiesRead, entitiesReturned)] : []),
  ];
  return {
    text: sentences.join(' '),
    // The coach may have dropped it, and never sees requests of the explorer.
    ...(findings.length === 0 && query?.fault && { advice: adviceOf(query.fault) }),
    ...(findings.length > 0 && { findings }),
    ...(mismatch !== undefined && { mismatch }),
  };
}

function wordsOfSuccess({ operation, table }: JournalEntry): string {
  return operation === 'Entity Group Transaction' && table === undefined
    ? 'The request succeeded, but it has no operation, so nothing was stored.'
    : 'The request succeeded.';
}
