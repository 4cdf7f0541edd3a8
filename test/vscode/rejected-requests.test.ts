import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { LogEntry } from '../../src/client/calls.js';
import { readServerUrl } from '../../src/client/server-url.js';
import { startTabularium, type Tabularium } from '../../src/index.js';
import { needsAttention, RejectedRequests } from '../../src/vscode/server/rejected-requests.js';
import { callsOf } from '../../src/vscode/server/server-calls.js';

describe('A person looks at a rejected request', () => {
  it.each([
    ['GET', '501', 'NotImplemented', true],
    ['GET', '404', 'TableNotFound', true],
    ['GET', '404', 'ResourceNotFound', false],
    ['DELETE', '404', 'ResourceNotFound', false],
    ['PUT', '404', 'ResourceNotFound', true],
    ['POST', '409', 'TableAlreadyExists', false],
    ['POST', '409', 'EntityAlreadyExists', false],
    ['POST', '409', 'TableBeingDeleted', true],
    ['PUT', '412', 'UpdateConditionNotSatisfied', false],
    ['POST', '403', 'AuthenticationFailed', true],
  ])('%s with %s %s: %s', (Method, StatusCode, StatusText, expected) => {
    expect(needsAttention({ Method, StatusCode, StatusText } as LogEntry)).toBe(expected);
  });
});

describe('The rejected requests of a server', () => {
  let server: Tabularium;
  beforeAll(async () => {
    server = await startTabularium();
  });
  afterAll(() => server.close());

  /** Sends requests without a signature, which the service rejects, and follows until there are `count`. */
  async function followed(rejected: RejectedRequests, count: number) {
    const stop = new AbortController();
    const ended = rejected.follow(
      callsOf({ endpoint: readServerUrl(server.url, 'url'), token: undefined }, stop.signal),
    );
    await expect.poll(() => rejected.list.length).toBe(count);
    stop.abort();
    await expect(ended).rejects.toThrow();
    return rejected.list.map(({ Uri }) => new URL(Uri).pathname.split('/')[2]);
  }
  const reject = (table: string) => fetch(`${server.url}/devstoreaccount1/${table}`);

  it('are those that it still has and then each new one; those cleared do not come back', async () => {
    await reject('First');
    await reject('Second');
    const added: (string | undefined)[] = [];
    const rejected = new RejectedRequests((one) => added.push(one?.StatusText));
    expect(await followed(rejected, 2)).toEqual(['First', 'Second']);
    expect(added).toHaveLength(2);
    rejected.clear();
    await reject('Third');
    expect(await followed(rejected, 1)).toEqual(['Third']);
    rejected.begin();
    expect(await followed(rejected, 3)).toEqual(['First', 'Second', 'Third']);
  });
});
