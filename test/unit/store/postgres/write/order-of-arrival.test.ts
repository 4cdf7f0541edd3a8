import { describe, expect, it } from 'vitest';
import { OrderOfArrival, type Reach } from '../../../../../src/store/postgres/write/order-of-arrival.js';

const commit: Reach = { account: 'a', name: 't', alone: false };
const drop: Reach = { account: 'a', name: 't', alone: true };
const otherTable: Reach = { account: 'a', name: 'u', alone: true };
const reset: Reach = { account: 'a' };

/** Runs operations that end when they are told to. */
function inOrder() {
  const order = new OrderOfArrival();
  const events: string[] = [];
  const ends = new Map<string, () => void>();
  const ask = (name: string, reach: Reach) => {
    return order.run(reach, () => {
      events.push(name);
      return new Promise<void>((resolve) => ends.set(name, resolve));
    });
  };
  const end = async (name: string) => {
    ends.get(name)?.();
    for (let turn = 0; turn < 10; turn++) await null;
  };
  return { ask, end, events };
}

describe('the order of arrival', () => {
  it('lets commits of a table run side by side', () => {
    const { ask, events } = inOrder();
    for (const name of ['1', '2', '3']) void ask(name, commit);
    expect(events).toEqual(['1', '2', '3']);
  });

  it('lets a drop wait for the commits before it, and the commits after it wait for the drop', async () => {
    const { ask, end, events } = inOrder();
    void ask('before', commit);
    void ask('drop', drop);
    void ask('after', commit);
    expect(events).toEqual(['before']);
    await end('before');
    expect(events).toEqual(['before', 'drop']);
    await end('drop');
    expect(events).toEqual(['before', 'drop', 'after']);
  });

  it('keeps tables apart, but not from a reset of the account', async () => {
    const { ask, end, events } = inOrder();
    void ask('commit', commit);
    void ask('other', otherTable);
    void ask('reset', reset);
    void ask('later', otherTable);
    expect(events).toEqual(['commit', 'other']);
    await end('commit');
    await end('other');
    expect(events).toEqual(['commit', 'other', 'reset']);
    await end('reset');
    expect(events.at(-1)).toBe('later');
  });

  it('continues after a failed operation', async () => {
    const order = new OrderOfArrival();
    await expect(order.run(drop, () => Promise.reject(new Error('failed')))).rejects.toThrow('failed');
    expect(await order.run(drop, async () => 'next')).toBe('next');
  });

  it('keeps only those tables of an account for an exchange that it concerns, also those that are used later', async () => {
    const order = new OrderOfArrival();
    const events: string[] = [];
    const ends = new Map<string, () => void>();
    const ask = (name: string, alone = false) =>
      order.run({ account: 'a', name, alone }, () => {
        events.push(name);
        return new Promise<void>((resolve) => ends.set(name, resolve));
      });
    const turns = async () => {
      for (let turn = 0; turn < 10; turn++) await null;
    };
    const end = async (name: string) => {
      ends.get(name)?.();
      await turns();
    };
    void ask('t1');
    const exchange = order.enter([{ account: 'a', concerns: (_, name) => name.startsWith('t') }, { account: 'b' }]);
    void exchange.entered.then(() => events.push('exchange'));
    for (const name of ['t1', 't2', 'u']) void ask(name);
    void order.run({ account: 'b', name: 'u', alone: false }, async () => void events.push('b'));
    void ask('t3', true);
    await turns();
    expect(events).toEqual(['t1', 'u']);
    await end('t1');
    expect(events).toEqual(['t1', 'u', 'exchange']);

    // A reset waits for the exchange, and what comes later for the reset.
    void order.run({ account: 'a' }, async () => void events.push('reset'));
    void ask('v');
    await end('u');
    expect(events).toEqual(['t1', 'u', 'exchange']);
    exchange.leave();
    await turns();
    expect(events.slice(3)).toEqual(['t1', 't2', 't3', 'b']);
    for (const name of ['t1', 't2', 't3']) await end(name);
    expect(events.slice(7)).toEqual(['reset', 'v']);
  });

  it('gives several accounts to one operation, after what runs and before what comes later', async () => {
    const order = new OrderOfArrival();
    const events: string[] = [];
    let end = () => {};
    const ended = new Promise<void>((resolve) => {
      end = resolve;
    });
    const running = order.run({ account: 'a' }, () => ended);
    const both = order.enter(['b', 'a', 'a'].map((account) => ({ account })));
    const others = order.enter(['a', 'b'].map((account) => ({ account })));
    void both.entered.then(() => events.push('both'));
    void others.entered.then(() => events.push('others'));
    const later = order.run({ account: 'b', name: 't', alone: false }, async () => void events.push('later'));
    end();
    await running;
    await both.entered;
    expect(events).toEqual(['both']);
    both.leave();
    both.leave();
    await others.entered;
    expect(events).toEqual(['both', 'others']);
    others.leave();
    await later;
    expect(events).toEqual(['both', 'others', 'later']);
  });
});
