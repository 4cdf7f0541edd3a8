import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { OrderOfArrival } from '../../../../src/store/postgres/write/order-of-arrival.js';
import { runs } from '../../../support/arbitrary/property-runs.js';

const account = fc.constantFrom('a', 'b');
const table = fc.constantFrom('t', 'u');

/** An operation that takes some turns: on one table, or on all or some tables of accounts. */
const operation = fc.record({
  turns: fc.nat(6),
  /** The number of turns that pass before the next operation is asked for. */
  pause: fc.constantFrom(0, 0, 0, 1, 2, 5),
  reach: fc.oneof(
    fc.record({ account, name: table, alone: fc.boolean() }),
    fc.record({ account }),
    fc.dictionary(account, fc.option(fc.subarray(['t', 'u']), { nil: undefined }), {
      minKeys: 1,
      noNullPrototype: true,
    }),
  ),
});
type Operation = typeof operation extends fc.Arbitrary<infer T> ? T : never;

async function pass(turns: number): Promise<void> {
  for (let turn = 0; turn < turns; turn++) await null;
}

/** Returns the use of a table by an operation. */
function useOf({ reach }: Operation, of: string, name: string): 'none' | 'shared' | 'alone' {
  if (typeof reach.account !== 'string') {
    if (!(of in reach)) return 'none';
    const names = reach[of as keyof typeof reach] as readonly string[] | undefined;
    return names === undefined || names.includes(name) ? 'alone' : 'none';
  }
  if (reach.account !== of) return 'none';
  if (!('name' in reach)) return 'alone';
  if (reach.name !== name) return 'none';
  return reach.alone ? 'alone' : 'shared';
}

/** Whether two operations are commits to one table. */
function shareTable(one: Operation, other: Operation): boolean {
  return ['a', 'b'].some((of) =>
    ['t', 'u'].some((name) => [one, other].every((each) => useOf(each, of, name) === 'shared')),
  );
}

function conflict(one: Operation, other: Operation): boolean {
  return ['a', 'b'].some((of) =>
    ['t', 'u'].some((name) => {
      const uses = [useOf(one, of, name), useOf(other, of, name)];
      return !uses.includes('none') && uses.includes('alone');
    }),
  );
}

/** Runs an operation, and notes its start and its end. */
async function run(order: OrderOfArrival, { reach, turns }: Operation, note: (event: 'start' | 'end') => void) {
  const work = async () => {
    note('start');
    await pass(turns);
    note('end');
  };
  if (typeof reach.account === 'string') return order.run(reach as { account: string }, work);
  const reaches = Object.entries(reach as Record<string, readonly string[] | undefined>);
  const { entered, leave } = order.enter(
    reaches.map(([of, names]) => ({ account: of, ...(names && { concerns: (_, name) => names.includes(name) }) })),
  );
  return entered.then(work).finally(leave);
}

describe('the order of arrival', () => {
  it('starts commits of a table in their order, and ends each operation before a later one starts that conflicts with it', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(operation, { minLength: 2, maxLength: 12 }), async (operations) => {
        const order = new OrderOfArrival();
        const events: string[] = [];
        const asked: Promise<void>[] = [];
        for (const [at, one] of operations.entries()) {
          asked.push(run(order, one, (event) => events.push(`${event} ${at}`)));
          await pass(one.pause);
        }
        await Promise.all(asked);
        for (const [at, one] of operations.entries()) {
          for (const [later, other] of operations.entries()) {
            if (later <= at) continue;
            if (shareTable(one, other)) {
              expect(events.indexOf(`start ${at}`), `${at} starts before ${later}`).toBeLessThan(
                events.indexOf(`start ${later}`),
              );
            }
            if (!conflict(one, other)) continue;
            expect(events.indexOf(`end ${at}`), `${at} ends before ${later} starts`).toBeLessThan(
              events.indexOf(`start ${later}`),
            );
          }
        }
      }),
      { numRuns: runs(400) },
    );
  });
});
