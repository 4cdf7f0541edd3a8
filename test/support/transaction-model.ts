import fc from 'fast-check';
import type { Change } from '../../src/entity/change.js';
import type { Property } from '../../src/entity/entity.js';

/** One change within a transaction of the model: what is done to which row, on which condition. */
export interface ModelChange {
  readonly row: string;
  readonly kind: Change['kind'];
  /** The tag that is asked for: that of any row, none at all, or one that the row had at some time. */
  readonly condition: 'any' | 'none' | number;
}

export const rowNames = ['a', 'b', 'c', 'd', 'e', 'f'] as const;

/** Any transaction over a few rows; of its conditions, many do not hold. */
export const transaction: fc.Arbitrary<ModelChange[]> = fc.uniqueArray(
  fc.record({
    row: fc.constantFrom(...rowNames),
    kind: fc.constantFrom<ModelChange['kind']>('insert', 'replace', 'merge', 'merge', 'delete'),
    condition: fc.oneof(fc.constantFrom('none' as const, 'none' as const, 'any' as const), fc.nat()),
  }),
  { minLength: 1, maxLength: 5, selector: ({ row }) => row },
);

/** The rows at one moment, by name: the number of the transaction that wrote each. */
export type State = ReadonlyMap<string, number>;

/** What must become of a transaction: nothing is wrong with it, or this is at this position. */
export type Verdict = 'kept' | { readonly reason: string; readonly at: number };

/** A tag that a row was seen with, and which transaction gave it. */
interface KnownTag {
  readonly etag: string;
  readonly writer: number;
}

const neverIssued: KnownTag = { etag: `W/"datetime'2001-01-01T00%3A00%3A00Z'"`, writer: -1 };

/**
 * Judges transactions one after the other, in the order in which the store is asked, and remembers the rows after each
 * that was kept.
 */
export class TransactionModel {
  readonly states: State[] = [new Map()];
  readonly #tags = new Map<string, KnownTag[]>();
  #transactions = 0;

  /** The rows as they are. */
  get state(): State {
    return this.states.at(-1) ?? new Map();
  }

  /** What to ask the store for, what it must answer, and the number by which the rows will know the transaction. */
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

  /** Learns the tag that a row has been given. */
  learn(row: string, writer: number, etag: string): void {
    this.#tags.set(row, [...(this.#tags.get(row) ?? []), { etag, writer }]);
  }

  #tagOf({ row, condition }: ModelChange): KnownTag | '*' | undefined {
    if (condition === 'none') return undefined;
    if (condition === 'any') return '*';
    const known = [...(this.#tags.get(row) ?? []), neverIssued];
    // The newest is the likeliest to hold.
    return known[Math.max(0, known.length - 2 - (condition % 3))];
  }
}

/** Why a change cannot be made to a row that this transaction wrote, or that is not there. */
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
