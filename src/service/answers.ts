import type { FailedTransaction, PartFacts } from '../dialects/dialect.js';
import type { Answer } from '../operations/answer.js';
import type { TableError } from '../protocol/errors.js';
import type { OperationName } from '../protocol/operation-names.js';

/** One operation of a transaction, with its answer. */
export interface AnsweredPart extends PartFacts {
  readonly answer: Answer;
}

/** The answers of all operations of a transaction, or of the query in a batch. */
export interface TransactionAnswer {
  readonly kind: 'transaction';
  /** Whether the operations were in a change set. A query has none. */
  readonly isChangeSet: boolean;
  readonly parts: readonly AnsweredPart[];
}

/** The first error of a transaction, which then has no effect. */
export interface FailedTransactionAnswer extends FailedTransaction {
  readonly kind: 'failed-transaction';
  readonly isChangeSet: boolean;
  readonly error: TableError;
  /** The name of the operation at fault; undefined if it was not found. */
  readonly operation: OperationName | undefined;
}

/** The permission of a CORS rule for a preflight request. */
export interface PreflightAnswer {
  readonly kind: 'preflight';
  /** The origin of the request, or `*` if the rule allows all origins. */
  readonly origin: string;
  readonly method: string;
  /** The headers as the request lists them; empty if it lists none. */
  readonly headers: string;
  readonly maxAgeSeconds: number;
}

/** The answer of the service to one request, as values. */
export type ServiceAnswer = Answer | TransactionAnswer | FailedTransactionAnswer | PreflightAnswer;
