import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { clusterDatabase, openCluster } from '../../support/postgres/open-cluster.js';
import { account } from '../../support/store/store-changes.js';

const hourMs = 3_600_000;

describe.skipIf(!clusterDatabase)('a branch of a server whose clock is wrong', () => {
  it('ends by the clock of the database, on all servers', async () => {
    const url = clusterDatabase ?? '';
    const cluster = await openCluster([url, url]);
    onTestFinished(() => cluster.dispose());
    const [wrong, right] = cluster.stores.map(({ snapshots }) => snapshots);
    const now = Date.now;
    const clock = vi.spyOn(Date, 'now').mockImplementation(() => now() + 5 * hourMs);
    onTestFinished(() => clock.mockRestore());
    await wrong?.branch({ account: 'branch', from: { account }, key: 'key', expires: Date.now() + hourMs });
    const [seen] = (await wrong?.branches()) ?? [];
    expect(Math.abs((seen?.expires ?? 0) - Date.now() - hourMs)).toBeLessThan(hourMs / 2);

    clock.mockRestore();
    const [elsewhere] = (await right?.branches()) ?? [];
    expect(Math.abs((elsewhere?.expires ?? 0) - Date.now() - hourMs)).toBeLessThan(hourMs / 2);
  });
});
