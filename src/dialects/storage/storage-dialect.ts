import type { Dialect } from '../dialect.js';
import { writeAnswer, writePreflightHead, writeTransactionHead } from './write-answer.js';
import { writeError } from './write-error.js';
import { writeErrorPart, writePart } from './write-part.js';

/** The dialect of the Table service of storage accounts. */
export const storageDialect: Dialect = {
  name: 'storage',
  writeAnswer,
  writeTransactionHead,
  writePreflightHead,
  writeError,
  writePart,
  writeErrorPart,
};
