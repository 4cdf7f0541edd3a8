import type { Change } from '../../../entity/stored/change.js';
import { bareBody, ticksOfEtag } from '../schema/stamps.js';
import { type CommitRequest, entityKeyOf, type KnownEntity, type KnownState, tableKeyOf } from './judge-group.js';

/** The last known state of a table. */
interface KnownTable {
  readonly id: string;
  /** In the letter case of its creation. */
  readonly name: string;
}

const tablesMax = 10_000;

/** The last known tables. They are guesses that save a read: every statement that uses one proves its id. */
export class KnownTables {
  readonly #tables = new Map<string, KnownTable>();

  /** Returns the last known table of a key. */
  get(key: string): KnownTable | undefined {
    return this.#tables.get(key);
  }

  /** Remembers a table; undefined for a missing one. */
  learn(key: string, table: KnownTable | undefined): void {
    if (table === undefined) this.#tables.delete(key);
    else {
      if (this.#tables.size >= tablesMax) this.#tables.clear();
      this.#tables.set(key, table);
    }
  }
}

/**
 * Returns the state that the conditions of a group assume: an insert finds nothing, a tag matches. The write proves it, so a right guess
 * saves a read. `mayGuessTexts` is false if a listener wants the entities before the change, of which only the tag can be guessed. Returns
 * undefined for a group that must be read.
 */
export function guessState(
  group: readonly CommitRequest[],
  known: KnownTables,
  mayGuessTexts: boolean,
): KnownState | undefined {
  const ids = new Map<string, string>();
  const entities = new Map<string, KnownEntity | null>();
  for (const commit of group) {
    const table = tableKeyOf(commit);
    const id = known.get(table)?.id;
    if (id === undefined) return undefined;
    ids.set(table, id);
    for (const change of commit.changes) {
      const key = entityKeyOf(table, change.key);
      const guess = mayGuessTexts || change.kind === 'insert' ? guessEntity(change) : undefined;
      // The second change of an entity depends on the first.
      if (guess === undefined || entities.has(key)) return undefined;
      entities.set(key, guess);
    }
  }
  return { ids, entities };
}

/** Returns the entity that a change assumes: null for none, undefined without an assumption. */
function guessEntity(change: Change): KnownEntity | null | undefined {
  if (change.kind === 'insert') return null;
  // A merge needs the properties.
  if (change.kind === 'merge' || change.ifMatch === undefined || change.ifMatch === '*') return undefined;
  const ts = ticksOfEtag(change.ifMatch);
  return ts === undefined ? undefined : { ts, body: bareBody };
}
