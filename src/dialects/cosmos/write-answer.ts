import type { Answer } from '../../operations/answer.js';
import type { RequestFacts, WrittenAnswer, WrittenHead } from '../dialect.js';
import { describeAnswer } from './describe-answer.js';
import { answerHeaders } from './headers.js';

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
