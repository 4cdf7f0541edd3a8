import type { Engine } from '../../../src/store/level/engine/engine.js';

/**
 * Calls back once, when the next scan of an engine has read its first rows and before it hands them out. Waits for what
 * the callback returns.
 */
export function onFirstRows(engine: Engine, callback: () => unknown): void {
  const { values } = engine;
  Object.assign(engine, {
    values: (...options: Parameters<typeof values>) => {
      Object.assign(engine, { values });
      const iterator = values.apply(engine, options);
      const nextv = iterator.nextv.bind(iterator);
      return Object.assign(iterator, {
        nextv: async (size: number) => {
          const rows = await nextv(size);
          Object.assign(iterator, { nextv });
          await callback();
          return rows;
        },
      });
    },
  });
}
