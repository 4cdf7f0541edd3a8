import { expect, it } from 'vitest';
import { EventLoopTurn, turnForLongWork } from '../../../src/store/event-loop-turn.js';

/** Does pieces of work that arrive together. Returns the round of the event loop in which each is done. */
async function roundsOf(...work: readonly (() => Promise<void> | undefined)[]): Promise<readonly number[]> {
  let round = 0;
  let isDone = false;
  const count = () => {
    round++;
    if (!isDone) setImmediate(count);
  };
  setImmediate(count);
  const rounds = await Promise.all(
    work.map(async (turn) => {
      await turn();
      return round;
    }),
  );
  isDone = true;
  return rounds;
}

/** Expects that each piece of work is done in a round of its own, in the order of arrival. */
function expectOwnRounds(rounds: readonly number[]): void {
  expect(rounds).toEqual([...new Set(rounds)].sort((a, b) => a - b));
}

it('Long work that arrives together is done in one round each', async () => {
  expectOwnRounds(await roundsOf(turnForLongWork, turnForLongWork, turnForLongWork));
});

it('A long read continues in a round of its own, too', async () => {
  const read = new EventLoopTurn();
  expectOwnRounds(await roundsOf(turnForLongWork, () => read.next(), turnForLongWork));
});
