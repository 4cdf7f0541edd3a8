import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import type { Engine } from '../../../../src/store/level/engine/engine.js';
import { entityPrefix } from '../../../../src/store/level/engine/key-encoding.js';
import { makeMemoryEngine } from '../../../../src/store/level/engine/make-engine.js';
import { Tail } from '../../../../src/store/level/log/tail.js';
import { runs } from '../../../support/arbitrary/property-runs.js';

const prefix = entityPrefix('account', 'id');
const rows = Array.from({ length: 20 }, (_, at) => `${prefix}r${String(at).padStart(2, '0')}`);

const step = fc.oneof(
  { weight: 4, arbitrary: fc.record({ put: fc.array(fc.constantFrom(...rows), { minLength: 1, maxLength: 3 }) }) },
  { weight: 6, arbitrary: fc.constantFrom('take', 'write', 'forget', 'return', 'want') },
);

/** An engine with a tail above it, which gets its batches in several steps. */
class Tested {
  readonly #tail = new Tail();
  readonly #engine: Engine;
  #taken: readonly string[] | undefined;
  #isWritten = false;
  /** How many lookups were saved. */
  saved = 0;

  constructor(engine: Engine) {
    this.#engine = engine;
  }

  async run(done: typeof step extends fc.Arbitrary<infer T> ? T : never): Promise<void> {
    if (typeof done === 'object') for (const key of done.put) this.#tail.add(key, '1');
    else if (done === 'want') this.#tail.highest.want(prefix);
    else if (done === 'take') this.#taken ??= Array.from(this.#tail.take(), ({ key }) => String(key));
    else if (this.#taken && done === 'write') {
      await this.#tail.highest.learn(this.#engine);
      await this.#engine.batch(this.#taken.map((key) => ({ type: 'put', key, value: '1' })));
      this.#isWritten = true;
    } else if (this.#taken && (done === 'return' || this.#isWritten)) {
      if (done === 'return') this.#tail.returnBatches();
      else this.#tail.forgetBatches();
      this.#taken = undefined;
      this.#isWritten = false;
    }
  }

  check(): void {
    for (const key of rows) {
      if (this.#tail.get(prefix, key) !== undefined || !this.#tail.highest.lacks(prefix, key)) continue;
      this.saved++;
      expect(this.#engine.getSync(key), key).toBeUndefined();
    }
  }
}

describe('the highest keys of tables', () => {
  it('are never below a key that the engine has and the tail lacks', async () => {
    let saved = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 10, maxLength: 60, size: 'max' }), async (steps) => {
        const engine = await makeMemoryEngine();
        await engine.open();
        const tested = new Tested(engine);
        for (const one of steps) {
          await tested.run(one);
          tested.check();
        }
        saved += tested.saved;
        await engine.close();
      }),
      { numRuns: runs(150) },
    );
    expect(saved).toBeGreaterThan(150);
  });

  it('of a table whose keys cannot be read stay unknown, and the batch continues', async () => {
    const engine = await makeMemoryEngine();
    const { highest } = new Tail();
    const keys = vi.spyOn(engine, 'keys').mockImplementation(() => {
      throw new Error('a block is damaged');
    });
    highest.want(prefix);
    await highest.learn(engine);
    expect(keys).toHaveBeenCalledOnce();
    expect(highest.lacks(prefix, `${prefix}r`)).toBe(false);
  });
});
