/**
 * Resolves when all received socket data has been handled. Callers then send the accumulated work in one statement: a statement costs far
 * more than another row.
 */
export function endOfTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
