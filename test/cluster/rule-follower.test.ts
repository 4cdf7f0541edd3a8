import pg from 'pg';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Connection } from '../../src/store/postgres/connection/connection.js';
import { readAddress } from '../../src/store/postgres/connection/database-address.js';
import { RuleFollower } from '../../src/store/postgres/rule-follower.js';
import { countOlder, ruleChannel } from '../../src/store/postgres/rule-statements.js';
import { clusterDatabase } from '../support/open-cluster.js';

describe.skipIf(!clusterDatabase)('a follower of fault rules', () => {
  let other: pg.Client;
  let follower: RuleFollower;
  /** The version of the rules in the database, and here. */
  let [latest, applied] = [1, 0];
  let failures = 0;
  /** The versions at the moments in which it began to follow. */
  let begun: number[] = [];
  /** Is called when the rules were read. */
  let onRead = async () => {};
  beforeEach(async () => {
    [latest, applied, failures, begun, onRead] = [1, 0, 0, [], async () => {}];
    other = new pg.Client({ connectionString: clusterDatabase });
    await other.connect();
    const connection = new Connection(readAddress({ url: clusterDatabase ?? '', schema: 'public' }), {
      opened: 0,
      lost: 0,
    });
    follower = new RuleFollower(connection, {
      async catchUp() {
        if (failures-- > 0) throw new Error('The rules cannot be read now.');
        applied = latest;
        await onRead();
      },
      version: () => applied,
      onChange: () => void (follower.isFollowing && begun.push(applied)),
    });
  });
  afterEach(async () => {
    await follower.stop();
    await other.end();
  });

  const tell = () => other.query(`NOTIFY ${ruleChannel}`);
  const older = async (version: number) => (await other.query(countOlder.text, [version])).rows[0].older;

  it('shows only the version that it applies, also after the rules could not be read for a while', async () => {
    follower.start();
    await vi.waitUntil(() => begun.length === 1, { timeout: 30_000 });
    failures = 1;
    await tell();
    await vi.waitUntil(() => begun.length === 2, { timeout: 30_000 });
    latest = 2;
    await tell();
    await vi.waitUntil(() => applied === 2, { timeout: 30_000 });
    await vi.waitUntil(async () => (await older(3)) > 0, { timeout: 30_000 });
    expect([await older(2), await older(3)]).toEqual([0, 1]);
  });

  it('begins with the rules that others have set while it began', async () => {
    onRead = async () => {
      onRead = async () => {};
      latest = 2;
      await tell();
    };
    follower.start();
    await vi.waitUntil(() => begun.length === 1, { timeout: 30_000 });
    expect(begun).toEqual([2]);
  });
});
