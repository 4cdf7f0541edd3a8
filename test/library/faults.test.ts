import { TableClient } from '@azure/data-tables';
import { describe, expect, it } from 'vitest';
import { startTabularium, type TabulariumOptions } from '../../src/index.js';

/** Returns which of 40 requests for an entity that does not exist were answered with 503. */
async function busyRequests(connectionString: string): Promise<readonly number[]> {
  const table = TableClient.fromConnectionString(connectionString, 'Jobs', {
    allowInsecureConnection: true,
    retryOptions: { maxRetries: 0 },
  });
  const busy: number[] = [];
  for (let at = 0; at < 40; at++) {
    const error = await table.getEntity('p', 'r').catch((one) => one);
    if (error.statusCode === 503) busy.push(at);
  }
  return busy;
}

describe('The faults of an instance', () => {
  it('are rules, or a text with a profile or rules in words', async () => {
    await using instance = await startTabularium();
    const { faults } = instance;
    expect(await faults.create({ id: 'own', fault: 'ServerBusy' })).toMatchObject([{ id: 'own', hits: 0 }]);
    const flaky = await faults.create('flaky seed=7 for=10m');
    expect(flaky.map(({ id }) => id)).toEqual(['flaky-latency', 'flaky-busy', 'flaky-timeout']);
    expect(flaky[0]).toMatchObject({ seed: 7, for: '10m' });
    const cloud = await faults.create('cloud; table=Jobs fault=503 times=2', { replace: true });
    expect(cloud.map(({ id }) => id)).toEqual(['cloud-latency', 'cloud-throttle', 'cloud-pages', 'fault-1']);
    expect(await faults.list()).toHaveLength(4);
    await expect(faults.create('flakey')).rejects.toThrow("There is no profile 'flakey'. Did you mean 'flaky'?");
    await expect(faults.create('', { replace: true })).rejects.toThrow(
      "'rules' must be rules in words, a rule or a list of rules",
    );
    expect(await faults.list()).toHaveLength(4);
  });

  it('hold as long as it runs if they are among its options, and a seed repeats them', async () => {
    const runs: (readonly number[])[] = [];
    for (const faultSeed of [7, 7, 8]) {
      await using instance = await startTabularium({ faults: 'fault=503 probability=0.5', faultSeed });
      expect((await instance.faults.list())[0]).not.toHaveProperty('ends');
      runs.push(await busyRequests(instance.connectionString));
    }
    expect(runs[0]).toEqual(runs[1]);
    expect(runs[0]).not.toEqual(runs[2]);
  });

  it.each<[TabulariumOptions, string]>([
    [{ faults: 'flakey' }, "The fault rules 'flakey' are invalid. There is no profile 'flakey'."],
    [{ faults: '' }, 'faults must not be empty.'],
    [{ faultSeed: 1.5 }, 'faultSeed must be a whole number; got 1.5.'],
  ])('cannot be %j', async (options, message) => {
    await expect(startTabularium(options)).rejects.toThrow(message);
  });
});
