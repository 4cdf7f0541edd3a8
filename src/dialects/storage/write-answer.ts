import type { Answer } from '../../operations/answer.js';
import type { ExchangeFacts, WrittenAnswer, WrittenHead } from '../dialect.js';
import { describeAnswer, emptyAnswer } from './describe-answer.js';
import { answerHeaders, answerType, plainHeaders } from './headers.js';

/** Writes the answer of an operation. Source: operations 4.1. */
export function writeAnswer(answer: Answer, exchange: ExchangeFacts): WrittenAnswer {
  const { representation } = exchange;
  const described = describeAnswer(answer, representation, exchange);
  const { status, body, isPlain } = described;
  const headers = isPlain
    ? plainHeaders(exchange, body ? 'application/xml' : undefined)
    : answerHeaders(exchange, body === undefined ? undefined : answerType(representation, described), described);
  return { status, headers, body };
}

/** Writes the head of the answer of a transaction. Source: batch 3. */
export function writeTransactionHead(contentType: string, exchange: ExchangeFacts): WrittenHead {
  return { status: 202, headers: answerHeaders(exchange, contentType, emptyAnswer) };
}

/** Writes the head of the answer to a preflight request. Source: operations 9.1. */
export function writePreflightHead(exchange: ExchangeFacts): WrittenHead {
  return { status: 200, headers: plainHeaders(exchange, undefined) };
}
