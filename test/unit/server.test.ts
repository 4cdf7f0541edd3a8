import { describe, expect, it } from 'vitest';
import { Stations } from '../../src/server.js';

/** Opens three stations. The second one fails to close. */
function openThree() {
  const closed: string[] = [];
  const stations = new Stations();
  const close = async (name: string) => {
    await Promise.resolve();
    closed.push(name);
    if (name !== 'store') throw new Error(`${name} fails`);
  };
  for (const name of ['store', 'state', 'listener']) expect(stations.add(name, close)).toBe(name);
  return { stations, closed };
}

describe('The stations of a start', () => {
  it('are closed in reverse, one after the other, also after one that fails, whose error is the first', async () => {
    const { stations, closed } = openThree();
    await expect(stations.close()).rejects.toThrow('listener fails');
    expect(closed).toEqual(['listener', 'state', 'store']);
  });

  it('are closed once, and every caller waits for it', async () => {
    const { stations, closed } = openThree();
    const calls = [stations.close(), stations.close()];
    expect(await Promise.allSettled(calls)).toMatchObject([{ status: 'rejected' }, { status: 'rejected' }]);
    expect(closed).toHaveLength(3);
  });
});
