import type { Dialect } from '../dialect.js';
import { answerHeaders, jsonType, plainHeaders } from './headers.js';
import { writeError } from './write-error.js';
import { partHeaders, writeErrorPart } from './write-part.js';

/** The dialect of the Table service of a storage account. */
export const storageDialect: Dialect = {
  name: 'storage',
  jsonType,
  answerHeaders,
  plainHeaders,
  partHeaders,
  writeError,
  writeErrorPart,
};
