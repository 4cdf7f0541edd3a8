import { executionAsyncResource } from 'node:async_hooks';

/** One object of `process.nextTick`. Nothing reads it: V8 keeps the shape of an object as long as the object. */
const kept: object[] = [];

/**
 * Keeps the shape of the objects of `process.nextTick`, which Node.js calls six times for a request.
 *
 * Between requests there is no such object, so a full collection removes their shape. The objects after it get another one,
 * and V8 no longer runs compiled code for them: each call then takes 3 to 5 times as long, 1 to 2 % of a point read in all.
 * The start has such collections, so this must be called before anything is loaded.
 */
export function keepTickShape(): void {
  process.nextTick(() => {
    kept[0] ??= executionAsyncResource();
  });
}
