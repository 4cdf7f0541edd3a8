import fc from 'fast-check';
import type { Change } from '../../../src/entity/stored/change.js';
import type { Property } from '../../../src/entity/stored/entity.js';

/** One change of a transaction in the model. */
export interface ModelChange {
  readonly row: string;
  readonly kind: Change['kind'];
  /** The condition: any tag, no condition, or the index of a tag that the row once had. */
  readonly condition: 'any' | 'none' | number;
}

export const rowNames = ['a', 'b', 'c', 'd', 'e', 'f'] as const;

/** Any transaction over a few rows. Many of its conditions fail. */
export const transaction: fc.Arbitrary<ModelChange[]> = fc.uniqueArray(
  fc.record({
    row: fc.constantFrom(...rowNames),
    kind: fc.constantFrom<ModelChange['kind']>('insert', 'replace', 'merge', 'merge', 'delete'),
    condition: fc.oneof(fc.constantFrom('none' as const, 'none' as const, 'any' as const), fc.nat()),
  }),
  { minLength: 1, maxLength: 5, selector: ({ row }) => row },
);

/** The rows at one moment, by name. The value is the number of the transaction that wrote the row. */
export type State = ReadonlyMap<string, number>;

/** The required outcome of a transaction: success, or a rejection at a position. */
export type Verdict = 'kept' | { readonly reason: string; readonly at: number };

/** A tag that a row has had, and the transaction that wrote it. */
interface KnownTag {
  readonly etag: string;
  readonly writer: number;
}

const neverIssued: KnownTag = { etag: `W/"datetime'2001-01-01T00%3A00%3A00Z'"`, writer: -1 };

/**
 * Predicts the outcome of transactions in the order of their requests, and records the rows after each successful
 * one.
 */
export class TransactionModel {
  readonly states: State[] = [new Map()];
  readonly #tags = new Map<string, KnownTag[]>();
  #transactions = 0;

  /** The current rows. */
  get state(): State {
    return this.states.at(-1) ?? new Map();
  }

  /** Begins a transaction. Returns its changes for the store, the required outcome, and its number. */
  begin(asked: readonly ModelChange[]): { changes: Change[]; verdict: Verdict; writer: number } {
    const writer = this.#transactions++;
    const after = new Map(this.state);
    let verdict: Verdict = 'kept';
    const changes = asked.map((change, at): Change => {
      const tag = this.#tagOf(change);
      const reason = reasonAgainst(change.kind, after.get(change.row), tag);
      if (reason !== undefined && verdict === 'kept') verdict = { reason, at };
      if (change.kind === 'delete') after.delete(change.row);
      else after.set(change.row, writer);
      return toChange(change, writer, typeof tag === 'object' ? tag.etag : tag);
    });
    if (verdict === 'kept') this.states.push(after);
    return { changes, verdict, writer };
  }

  /** Records the tag that a row got. */
  learn(row: string, writer: number, etag: string): void {
    this.#tags.set(row, [...(this.#tags.get(row) ?? []), { etag, writer }]);
  }

  #tagOf({ row, condition }: ModelChange): KnownTag | '*' | undefined {
    if (condition === 'none') return undefined;
    if (condition === 'any') return '*';
    const known = [...(this.#tags.get(row) ?? []), neverIssued];
    // The newest tag matches most often.
    return known[Math.max(0, known.length - 2 - (condition % 3))];
  }
}

/** Returns why a change must be rejected for a row that this transaction wrote, or for a missing row. */
function reasonAgainst(
  kind: Change['kind'],
  written: number | undefined,
  tag: KnownTag | '*' | undefined,
): string | undefined {
  if (kind === 'insert') return written === undefined ? undefined : 'entity-exists';
  const asked = kind === 'delete' ? (tag ?? '*') : tag;
  if (asked === undefined) return undefined;
  if (written === undefined) return 'entity-missing';
  return asked === '*' || asked.writer === written ? undefined : 'etag-differs';
}

function toChange({ row, kind }: ModelChange, writer: number, ifMatch: string | undefined): Change {
  const key = { partitionKey: 'p', rowKey: row };
  const properties: Property[] = [{ name: 'Writer', type: 'Edm.Int32', json: String(writer), valueBytes: 4 }];
  switch (kind) {
    case 'insert':
      return { kind, key, properties };
    case 'delete':
      return { kind, key, ifMatch };
    default:
      return { kind, key, properties, ifMatch };
  }
}
