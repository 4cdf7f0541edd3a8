import { Agent, request } from 'node:http';
import { connect } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type FaultRule, startTabularium, type Tabularium } from '../../../src/index.js';
import { tableOf } from '../../support/bodies/instance-tables.js';
import { accountAccess, signAccess } from '../../support/signatures/sign-access.js';

/** What a client gets of an answer. */
interface Received {
  readonly status: number | undefined;
  readonly body: string;
  /** How it ended: as a whole answer, cut off, or without any byte. */
  readonly end: 'whole' | 'cut' | 'nothing';
}

/** Returns an answer with the first half of its body. */
function half(whole: Received): Received {
  return { ...whole, body: whole.body.slice(0, Math.floor(whole.body.length / 2)) };
}

describe('A broken connection', () => {
  let instance: Tabularium;
  let agent: Agent;
  const job = { partitionKey: 'p', rowKey: 'r', state: 'x'.repeat(1000) };
  const table = () => tableOf(instance.connectionString, 'Jobs');
  const use = (fault: FaultRule['fault']) =>
    instance.faults.create([{ id: 'cut', fault, times: 1 }], { replace: true });
  const hits = async () => (await instance.faults.list()).map((one) => one.hits);

  beforeEach(async () => {
    agent = new Agent({ keepAlive: true });
    instance = await startTabularium();
    await table().createTable();
    await table().createEntity(job);
  });
  afterEach(async () => {
    agent.destroy();
    await instance.close();
  });

  /** Sends a request of its own. `received` is called with the body so far. */
  const send = (method: string, body?: object, received?: (text: string) => void): Promise<Received> => {
    const { hostname, port } = new URL(instance.url);
    const path = `/devstoreaccount1/Jobs${body ? '' : "(PartitionKey='p',RowKey='r')"}?${signAccess(accountAccess())}`;
    const headers = { Accept: 'application/json', ...(body && { 'Content-Type': 'application/json' }) };
    return new Promise((resolve) => {
      let hasAnswer = false;
      const outgoing = request({ agent, hostname, port, method, path, headers }, (answer) => {
        hasAnswer = true;
        let text = '';
        const end = (how: Received['end']) => resolve({ status: answer.statusCode, body: text, end: how });
        answer.setEncoding('utf8').on('data', (part: string) => {
          text += part;
          received?.(text);
        });
        answer.on('end', () => end('whole')).on('error', () => end('cut'));
      });
      // Node 24 reports a reset in the middle of an answer on the request, too, and there first.
      outgoing.on('error', () => hasAnswer || resolve({ status: undefined, body: '', end: 'nothing' }));
      outgoing.end(body && JSON.stringify(body));
    });
  };

  it('pc sends the head and half of the body, and cuts it off', async () => {
    const whole = await send('GET');
    await use({ kind: 'connection', cut: 'pc' });
    expect(await send('GET')).toEqual({ ...half(whole), end: 'cut' });
    expect(await send('GET')).toEqual(whole);
  });

  it('pa sends the head and half of the body, and resets the connection', async () => {
    const whole = await send('GET');
    let received: Received;
    // TCP lets a system discard what its program has not read when a reset comes, so a client may see less.
    for (let tries = 0; ; tries++) {
      await use({ kind: 'connection', cut: 'pa' });
      received = await send('GET');
      expect(received.end).not.toBe('whole');
      expect(await send('GET')).toEqual(whole);
      if (received.body.length === half(whole).body.length || tries === 20) break;
    }
    expect(received).toEqual({ ...half(whole), end: 'cut' });
  });

  it('pn sends half of the body as if it were complete, and keeps the connection', async () => {
    const whole = await send('GET');
    await use({ kind: 'connection', cut: 'pn' });
    expect(await send('GET')).toEqual(half(whole));
    expect(await send('GET')).toEqual(whole);
  });

  it('pn ends the connection if the head names the length of the body, as in HTTP/1.0', async () => {
    await use({ kind: 'connection', cut: 'pn' });
    const { hostname, port } = new URL(instance.url);
    const path = `/devstoreaccount1/Jobs(PartitionKey='p',RowKey='r')?${signAccess(accountAccess())}`;
    const socket = connect(Number(port), hostname).setEncoding('utf8');
    socket.write(`GET ${path} HTTP/1.0\r\nHost: ${hostname}\r\nConnection: keep-alive\r\n\r\n`);
    let text = '';
    for await (const part of socket) text += part;
    const length = Number(/^Content-Length: (\d+)/m.exec(text)?.[1]);
    expect(text.split('\r\n\r\n')[1]).toHaveLength(Math.floor(length / 2));
  });

  it.each(['nc', 'na'] as const)('%s ends the connection without an answer', async (cut) => {
    await use({ kind: 'connection', cut });
    expect(await send('GET')).toEqual({ status: undefined, body: '', end: 'nothing' });
    expect(await send('GET')).toMatchObject({ status: 200, end: 'whole' });
  });

  it.each(['nc', 'na', 'pc', 'pa'] as const)('%s after the operation leaves what was written', async (cut) => {
    await use({ kind: 'connection', cut, when: 'after' });
    expect((await send('POST', { PartitionKey: 'p', RowKey: 's' })).end).not.toBe('whole');
    expect(await table().getEntity('p', 's')).toMatchObject({ rowKey: 's' });
  });

  it.each(['nc', 'na'] as const)('%s before the operation writes nothing', async (cut) => {
    await use({ kind: 'connection', cut });
    expect((await send('POST', { PartitionKey: 'p', RowKey: 's' })).end).toBe('nothing');
    await expect(table().getEntity('p', 's')).rejects.toMatchObject({ statusCode: 404 });
  });

  it('p and n wait until the rule is removed, and close the connection then', async () => {
    for (const cut of ['p', 'n'] as const) {
      await use({ kind: 'connection', cut });
      let begin = () => {};
      const begun = new Promise<void>((resolve) => {
        begin = resolve;
      });
      const received = send('GET', undefined, begin);
      if (cut === 'p') await begun;
      else await expect.poll(hits).toEqual([1]);
      await instance.faults.clear();
      expect((await received).end).toBe(cut === 'p' ? 'cut' : 'nothing');
    }
  });

  it('p and n do not delay the stop of the server', async () => {
    // The first rule answers alone, so the second request gets the second rule.
    for (const cut of ['n', 'p'] as const) {
      await instance.faults.create({ fault: { kind: 'connection', cut }, times: 1 });
    }
    const received = [send('GET'), send('GET')];
    await expect.poll(hits).toEqual([1, 1]);
    await instance.close();
    expect((await Promise.all(received)).map(({ end }) => end)).not.toContain('whole');
  });

  it('is in the journal with the status 499 and the rule', async () => {
    await use({ kind: 'connection', cut: 'na' });
    await send('GET');
    await expect
      .poll(() => instance.requests.list({ limit: 1 }))
      .toMatchObject([{ StatusCode: '499', StatusText: 'ClientGone', Fault: 'cut' }]);
    const [entry] = await instance.requests.list({ limit: 1 });
    expect((await instance.why(entry?.CorrelationId ?? '')).text).toContain('These fault rules acted on it: cut.');
  });
});

describe('A slow body', () => {
  it('arrives whole, in parts, and at once when the rule is removed', async () => {
    await using instance = await startTabularium();
    const table = tableOf(instance.connectionString, 'Jobs');
    await table.createTable();
    await table.createEntity({ partitionKey: 'p', rowKey: 'r', state: 'x'.repeat(3000) });
    await instance.faults.create({ fault: { kind: 'connection', bytesPerSecond: 1 }, times: 1 });
    const read = table.getEntity<{ state: string }>('p', 'r');
    await expect.poll(async () => (await instance.faults.list())[0]?.hits).toBe(1);
    await instance.faults.clear();
    expect((await read).state).toHaveLength(3000);

    await instance.faults.create({ fault: { kind: 'connection', bytesPerSecond: 100_000 }, times: 1 });
    expect((await table.getEntity<{ state: string }>('p', 'r')).state).toHaveLength(3000);
  });
});
