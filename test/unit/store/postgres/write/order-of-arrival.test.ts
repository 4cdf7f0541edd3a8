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

  it('gives several accounts to one operation, after what runs and before what comes later', async () => {
    const order = new OrderOfArrival();
    const events: string[] = [];
    let end = () => {};
    const ended = new Promise<void>((resolve) => {
      end = resolve;
    });
    const running = order.run({ account: 'a' }, () => ended);
    const both = order.enter(['b', 'a', 'a']);
    const others = order.enter(['a', 'b']);
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
