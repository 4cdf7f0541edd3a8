import type { Dialect } from '../dialect.js';
import { writeError } from './errors/write-error.js';
import { operationRules } from './operation-rules.js';
import { requestRules } from './request-rules.js';
import { cosmosTraits } from './traits.js';
import { writeAnswer, writePreflightHead, writeTransactionHead } from './write-answer.js';
import { writeErrorPart, writePart } from './write-part.js';

/** The dialect of Azure Cosmos DB for Table. */
export const cosmosDialect: Dialect = {
  name: 'cosmos',
  traits: cosmosTraits,
  requests: requestRules,
  operations: operationRules,
  multipart: { ofParts: '\n', afterChangeSet: '\n' },
  writeAnswer,
  writeTransactionHead,
  writePreflightHead,
  writeError,
  writePart,
  writeErrorPart: (error, _failed, facts) => writeErrorPart(error, facts),
};
