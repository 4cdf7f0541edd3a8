import { storageTraits } from '../../protocol/service-traits.js';
import type { Dialect } from '../dialect.js';
import { writeAnswer, writePreflightHead, writeTransactionHead } from './describe-answer.js';
import { operationRules } from './operation-rules.js';
import { requestRules } from './request-rules.js';
import { writeError } from './write-error.js';
import { writeErrorPart, writePart } from './write-part.js';

/** The dialect of the Table service of storage accounts. */
export const storageDialect: Dialect = {
  name: 'storage',
  traits: storageTraits,
  requests: requestRules,
  operations: operationRules,
  multipart: { ofParts: '\r\n', afterChangeSet: '\r\n' },
  writeAnswer,
  writeTransactionHead,
  writePreflightHead,
  writeError,
  writePart,
  writeErrorPart,
};
