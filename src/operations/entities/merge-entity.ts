import type { WriteOperation } from '../operation.js';
import { answerUpdate, prepareUpdate } from './prepare-update.js';

/**
 * Merge Entity and Insert Or Merge Entity: MERGE or PATCH to an entity. Keeps the properties that the body does not
 * have, or has as null.
 *
 * Answers with the entity as it is now. Errors: ResourceNotFound (404), UpdateConditionNotSatisfied (412), TableNotFound.
 * Source: operations 8.11.
 */
export const mergeEntity: WriteOperation = {
  name: 'Merge Entity',
  kind: 'write',
  prepare: (request, body) => prepareUpdate(request, body, 'merge'),
  answer: answerUpdate,
};
