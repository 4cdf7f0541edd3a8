import type { WriteOperation } from '../operation.js';
import { answerUpdate, prepareUpdate } from './prepare-update.js';

/**
 * Update Entity and Insert Or Replace Entity: PUT to an entity. Drops every property that the body does not have.
 *
 * Answers with the entity as it is now. Errors: ResourceNotFound (404), UpdateConditionNotSatisfied (412), TableNotFound.
 * Source: operations 8.11.
 */
export const updateEntity: WriteOperation = {
  name: 'Update Entity',
  kind: 'write',
  prepare: (request, body) => prepareUpdate(request, body, 'replace'),
  answer: answerUpdate,
};
