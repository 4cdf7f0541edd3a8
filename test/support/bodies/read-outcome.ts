import type { SentEntity } from '../../../src/entity/body/sent-entity.js';
import { type EntityText, writeEntityText } from '../../../src/entity/stored/entity.js';
import { TableError } from '../../../src/protocol/errors.js';

/** An entity that was read, and the text with which an insert stores it. */
export type StoredOutcome = Omit<SentEntity, 'members'> & { readonly text: EntityText };

/** Returns what a body was read as, or the error with its evidence. */
export function outcomeOf(read: () => SentEntity): unknown {
  try {
    return storedOutcome(read());
  } catch (error) {
    if (!(error instanceof TableError)) throw error;
    return { code: error.code, variant: error.variant, evidence: error.evidence() };
  }
}

/** Returns an entity that was read with its text, which a reader may have found in the body or not. */
export function storedOutcome({ members, ...sent }: SentEntity): StoredOutcome {
  const key = { partitionKey: 'p', rowKey: 'r' };
  return { ...sent, text: writeEntityText(key, '2026-11-26T08:00:00.0000000Z', sent.properties, members) };
}
