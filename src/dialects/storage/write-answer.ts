import type { Answer } from '../../operations/answer.js';
import type { RequestFacts, WrittenAnswer, WrittenHead } from '../dialect.js';
import { describeAnswer, emptyAnswer } from './describe-answer.js';
import { answerHeaders, answerType, plainHeaders } from './headers.js';

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
