import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { RecordChange } from '../../../../src/store/level/engine/engine.js';
import { entityPrefix } from '../../../../src/store/level/engine/key-encoding.js';
import { Tail } from '../../../../src/store/level/log/tail.js';
import { runs } from '../../../support/arbitrary/property-runs.js';

const prefixes = ['One', 'Two'].map((id) => entityPrefix('account', id));

const rows = 400;
const keysOf = (prefix: string) => Array.from({ length: rows }, (_, at) => `${prefix}${String(at).padStart(3, '0')}é`);
const keys = new Map(prefixes.map((prefix) => [prefix, keysOf(prefix)]));

const arbitraryValue = fc.option(
  fc.oneof(
    { weight: 9, arbitrary: fc.string({ unit: 'binary' }) },
    { weight: 9, arbitrary: fc.nat(99).map(String) },
    { weight: 1, arbitrary: fc.constant('') },
    { weight: 1, arbitrary: fc.constant('x'.repeat(100_000)) },
  ),
);

const arbitraryChange = fc.record({
  key: fc.tuple(fc.constantFrom(...prefixes), fc.nat(rows - 1)).map(([prefix, at]) => keys.get(prefix)?.[at] ?? ''),
  value: arbitraryValue,
});

const step = fc.oneof(
  { weight: 3, arbitrary: fc.array(arbitraryChange, { minLength: 1, maxLength: 40, size: 'max' }) },
  { weight: 2, arbitrary: fc.array(arbitraryChange, { minLength: 128, maxLength: 300, size: 'max' }) },
  { weight: 4, arbitrary: fc.constantFrom('take' as const, 'forget' as const, 'return' as const) },
);

function inOrder(values: ReadonlyMap<string, string | null>, prefix = ''): RecordChange[] {
  const changes = Array.from(values, ([key, value]) => ({ key, value }));
  return changes.filter(({ key }) => key.startsWith(prefix)).sort((one, other) => (one.key < other.key ? -1 : 1));
}

/** A tail and a model of it: the values that wait, and those that are taken. */
class Tested {
  readonly #tail = new Tail();
  #waiting = new Map<string, string | null>();
  #taken: Map<string, string | null> | undefined;

  run(done: readonly RecordChange[] | 'take' | 'forget' | 'return'): void {
    if (done === 'take') this.#take();
    else if (done === 'forget') this.#forget();
    else if (done === 'return') this.#return();
    else {
      for (const { key, value } of done) {
        this.#tail.add(key, value);
        this.#waiting.set(key, value);
      }
    }
  }

  /** Compares what readers get. */
  check(): void {
    const newest = new Map([...(this.#taken ?? []), ...this.#waiting]);
    for (const prefix of prefixes) {
      expect(this.#tail.slice(prefix)).toEqual(inOrder(newest, prefix));
      for (const key of keys.get(prefix) ?? []) expect(this.#tail.get(prefix, key)).toBe(newest.get(key));
    }
  }

  #take(): void {
    if (this.#taken) return;
    this.#taken = this.#waiting;
    this.#waiting = new Map();
    const taken = Array.from(this.#tail.take(), ({ key, value }) => [key, value] as const);
    expect(inOrder(new Map(taken))).toEqual(inOrder(this.#taken));
  }

  #forget(): void {
    if (this.#taken) this.#tail.forgetBatches();
    this.#taken = undefined;
  }

  #return(): void {
    if (this.#taken) this.#tail.returnBatches();
    this.#waiting = new Map([...(this.#taken ?? []), ...this.#waiting]);
    this.#taken = undefined;
  }
}

describe('the tail', () => {
  it('has the newest value of each record that the engine may lack', () => {
    fc.assert(
      fc.property(fc.array(step, { minLength: 2, maxLength: 15, size: 'max' }), (steps) => {
        const tested = new Tested();
        for (const one of steps) {
          tested.run(one);
          tested.check();
        }
      }),
      { numRuns: runs(10), endOnFailure: true },
    );
  });
});
