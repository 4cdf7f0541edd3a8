/**
 * Resolves when everything that has arrived on the sockets of this process was looked at. What requests ask for until
 * then goes to the database together: a statement costs far more than one more row in it.
 */
export function endOfTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
