import { checkKeyCharacters, type SentEntity } from '../../entity/body/sent-entity.js';
import type { PreparedChange, WriteOperation } from '../operation.js';

/**
 * Insert Entity: POST to the table, for an entity that does not exist.
 *
 * Answers with the entity that was stored.
 * Errors: EntityAlreadyExists (409), TableNotFound (404), PropertiesNeedValue and the data model's (400).
 * Source: operations 8.10.
 */
export const insertEntity: WriteOperation = {
  name: 'Insert Entity',
  kind: 'write',

  prepare(_request, body) {
    return prepareInsert(body.readNewEntity());
  },

  answer(text, change) {
    if (text === null || change === undefined) throw new Error('an insert leaves an entity');
    return { kind: 'entity-inserted', key: change.key, text };
  },
};

/** Returns the change that inserts an entity. Errors: OutOfRangeInput for a character that a key cannot have. */
export function prepareInsert(sent: SentEntity): Extract<PreparedChange, { readonly kind: 'insert' | 'keys-missing' }> {
  checkKeyCharacters(sent, true);
  const { partitionKey, rowKey, properties, members } = sent;
  if (partitionKey === undefined || rowKey === undefined) {
    const keys = [...(partitionKey === undefined ? ['PartitionKey'] : []), ...(rowKey === undefined ? ['RowKey'] : [])];
    return { kind: 'keys-missing', keys, sent: properties.map(({ name }) => name) };
  }
  return { kind: 'insert', key: { partitionKey, rowKey }, properties, members };
}
