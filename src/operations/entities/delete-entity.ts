import { checkKeyCharacters } from '../../entity/body/sent-entity.js';
import type { Answer } from '../answer.js';
import { addressedEntity, type WriteOperation } from '../operation.js';
import { headerMissing, readIfMatch } from './if-match.js';

const deleted: Answer = { kind: 'entity-deleted' };

/**
 * Delete Entity: DELETE with `If-Match`, which is required.
 *
 * Errors: ResourceNotFound (404), UpdateConditionNotSatisfied (412), InvalidInput (400).
 * Source: operations 8.12.
 */
export const deleteEntity: WriteOperation = {
  name: 'Delete Entity',
  kind: 'write',

  prepare(request) {
    const { key } = addressedEntity(request.resource);
    const ifMatch = readIfMatch(request.ifMatch, request.ifNoneMatch, 'DELETE');
    if (ifMatch === undefined) throw headerMissing('If-Match');
    checkKeyCharacters(key, false);
    return { kind: 'delete', key, ifMatch };
  },

  // One object, so that the answer to a transaction of deletions is written once.
  answer: () => deleted,
};
