import type { AbstractChainedBatch } from 'abstract-level';
import type { Engine } from '../../../src/store/level/engine/engine.js';

type Chained = AbstractChainedBatch<Engine, string, string>;

/** Runs in place of writing a batch. `write` writes it; `options` are those that the engine was given. */
export type Around = (write: () => Promise<void>, options: unknown) => Promise<void>;

/** Wraps every batch of an engine, also one of a single record. Returns a function that removes the wrapper. */
export function interceptBatches(engine: Engine, around: Around): () => void {
  const { batch, put, del } = engine;
  Object.assign(engine, {
    put: (...operands: readonly unknown[]) => around(() => Reflect.apply(put, engine, operands), operands[2]),
    del: (...operands: readonly unknown[]) => around(() => Reflect.apply(del, engine, operands), operands[1]),
    batch: (...operations: readonly unknown[]): unknown => {
      if (operations.length > 0) {
        return around(() => Reflect.apply(batch, engine, operations), operations[1]);
      }
      const started: Chained = Reflect.apply(batch, engine, []);
      const write = started.write.bind(started);
      return Object.assign(started, {
        write: (options?: object) => around(() => (options ? write(options) : write()), options),
      });
    },
  });
  return () => {
    Object.assign(engine, { batch, put, del });
  };
}
