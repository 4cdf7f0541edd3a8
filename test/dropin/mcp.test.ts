import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTabularium, type Tabularium } from '../../src/index.js';
import { initializeParams, modernParams, textOfResult, toolNames } from '../support/agents/messages.js';
import { type StdioAgent, startAgent } from '../support/agents/stdio-agent.js';
import { makeFolder } from '../support/programs/make-folder.js';

describe('The command mcp', () => {
  let server: Tabularium;
  beforeAll(async () => {
    server = await startTabularium();
    await server.import(['{"$table":"Orders"}\n{"PartitionKey":"p","RowKey":"r","Size":1}\n']);
  });
  afterAll(() => server.close());
  const start = (...words: readonly string[]) => startAgent(['--url', server.url, ...words]);
  const call = async (agent: StdioAgent, name: string, fields = {}, params = {}) =>
    textOfResult((await agent.ask('tools/call', { ...params, name, arguments: fields })).result);

  it('serves clients that begin with initialize, and ends with its input', async () => {
    await using agent = start();
    expect((await agent.ask('initialize', initializeParams)).result).toMatchObject({
      protocolVersion: '2025-11-25',
      serverInfo: { name: 'tabularium' },
    });
    agent.write('{"jsonrpc":"2.0","method":"notifications/initialized"}\n');
    expect(toolNames((await agent.ask('tools/list')).result)).toContain('entity_list');
    expect(await call(agent, 'table_list', { count: true })).toBe('devstoreaccount1/Orders (1 entity)');
    expect(await agent.end()).toEqual({ code: 0, errors: '' });
  });

  it('serves clients of the revision without sessions', async () => {
    await using agent = start();
    expect((await agent.ask('server/discover', modernParams)).result).toMatchObject({
      supportedVersions: expect.arrayContaining(['2026-07-28']),
    });
    expect(toolNames((await agent.ask('tools/list', modernParams)).result).length).toBeGreaterThanOrEqual(20);
    expect(await call(agent, 'entity_count', { table: 'Orders' }, modernParams)).toMatch(/^1 entity\n/);
    expect(await agent.end()).toEqual({ code: 0, errors: '' });
  });

  it('answers after garbage', async () => {
    await using agent = start();
    agent.write('garbage\n\0\n{"jsonrpc":"2.0"}\n[]\n"text"\n{\n');
    const deep = `${'['.repeat(100_000)}${']'.repeat(100_000)}`;
    agent.write(`{"jsonrpc":"2.0","id":"deep","method":"ping","params":${deep}}\n`);
    expect((await agent.ask('initialize', initializeParams)).result).toMatchObject({ protocolVersion: '2025-11-25' });
    agent.write(
      `{"jsonrpc":"2.0","id":"deep","method":"tools/call","params":{"name":"info","arguments":{"a":${deep}}}}\n`,
    );
    expect(await call(agent, 'info')).toContain('accounts: devstoreaccount1');
    expect(await agent.end()).toMatchObject({ code: 0 });
  });

  it('leaves a request that its client cancels, and the last one when its input ends', async () => {
    const [asked, left]: [Socket[], Socket[]] = [[], []];
    await using silent = createServer((socket) => {
      asked.push(
        socket
          .once('close', () => left.push(socket))
          .on('error', () => {})
          .resume(),
      );
    });
    await once(silent.listen(0, '127.0.0.1'), 'listening');
    const { port } = silent.address() as AddressInfo;
    await using agent = startAgent(['--url', String(port)]);
    await agent.ask('initialize', initializeParams);
    const params = { name: 'info', arguments: {} };
    for (const id of ['first', 'second'])
      agent.write(`${JSON.stringify({ jsonrpc: '2.0', id, method: 'tools/call', params })}\n`);
    await expect.poll(() => asked.length).toBe(2);
    const cancelled = { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 'first' } };
    agent.write(`${JSON.stringify(cancelled)}\n`);
    await expect.poll(() => left.length).toBe(1);
    expect(await agent.end()).toMatchObject({ code: 0 });
    await expect.poll(() => left.length).toBe(2);
  });

  it('has the tools that the token in use may call', async () => {
    const file = join(await makeFolder(), 'settings.json');
    writeFileSync(file, JSON.stringify({ adminToken: 'all' }));
    const reads = { TABULARIUM_ADMIN_READ_TOKEN: 'reads' };
    const cases = [
      { variables: { ...reads, TABULARIUM_ADMIN_TOKEN: '' }, mayWrite: false },
      { variables: { ...reads, TABULARIUM_ADMIN_TOKEN: 'all' }, mayWrite: true },
      { variables: { ...reads, TABULARIUM_CONFIG: file }, mayWrite: true },
      { variables: {}, mayWrite: true },
    ];
    for (const { variables, mayWrite } of cases) {
      await using agent = startAgent(['--url', server.url], variables);
      await agent.ask('initialize', initializeParams);
      const names = toolNames((await agent.ask('tools/list')).result);
      expect([variables, names.includes('reset')]).toEqual([variables, mayWrite]);
    }
  });

  it('says that the server closed the connection within an answer', async () => {
    await using cut = createServer((socket) => {
      socket.once('data', () => socket.end('HTTP/1.1 200 OK\r\nx-tabularium: control\r\nContent-Length: 99\r\n\r\n{'));
    });
    await once(cut.listen(0, '127.0.0.1'), 'listening');
    await using agent = startAgent(['--url', String((cut.address() as AddressInfo).port)]);
    await agent.ask('initialize', initializeParams);
    expect(await call(agent, 'info')).toMatch(
      /^Error: The server closed the connection before the end of its answer\./,
    );
  });

  it('ends at once without input', async () => {
    await using agent = start();
    expect(await agent.end()).toEqual({ code: 0, errors: '' });
  });

  it('has only tools that change nothing with --readOnly, and with a token that may only read', async () => {
    const alone = { TABULARIUM_ADMIN_READ_TOKEN: 'some' };
    for (const reader of [start('--readOnly'), startAgent(['--url', server.url], alone)]) {
      await using agent = reader;
      await agent.ask('initialize', initializeParams);
      const names = toolNames((await agent.ask('tools/list')).result);
      expect(names).toContain('why');
      expect(names).not.toContain('reset');
      expect(await call(agent, 'reset')).toMatch(/^Error: There is no tool 'reset'\./);
    }
  });

  it('sends answers also as JSON with --json', async () => {
    await using agent = start('--json');
    await agent.ask('initialize', initializeParams);
    const { result } = await agent.ask('tools/call', { name: 'table_list', arguments: {} });
    expect(result).toMatchObject({ structuredContent: { tables: [{ account: 'devstoreaccount1', name: 'Orders' }] } });
  });

  it('sends no key with --readOnly', async () => {
    const fieldsOf = async (agent: StdioAgent) => {
      await agent.ask('initialize', initializeParams);
      const { result } = await agent.ask('tools/call', { name: 'info', arguments: {} });
      return Object.keys((result as { structuredContent: object }).structuredContent);
    };
    await using reader = start('--json', '--readOnly');
    await using other = start('--json');
    expect(await fieldsOf(reader)).toEqual(['version', 'started', 'accounts', 'memory']);
    expect(await fieldsOf(other)).toContain('connectionString');
  });

  it('cuts an answer at a line, says how to narrow it, and sends no JSON that is longer', async () => {
    const rows = Array.from(
      { length: 40 },
      (_, at) => `{"PartitionKey":"p","RowKey":"${at}","Text":"${'x'.repeat(1000)}"}\n`,
    );
    await server.import(['{"$table":"Long"}\n', ...rows]);
    const wish = { table: 'Long', limit: 40 };
    await using agent = start();
    await agent.ask('initialize', initializeParams);
    const text = await call(agent, 'entity_list', wish);
    expect(text.length).toBeLessThanOrEqual(24_000);
    const [end, note] = text.split('\n').slice(-2);
    expect(end).toMatch(/^\[end of data \w{12}\]$/);
    expect(note).toMatch(
      /^\d+ more lines are not shown\. To narrow the answer, use: filter, select, limit, account\.$/,
    );
    await using other = start('--json');
    await other.ask('initialize', initializeParams);
    expect(await call(other, 'entity_list', wish)).toMatch(
      /^Error: The answer as JSON has \d+ characters, more than 24000\. Narrow it by: filter, select, limit, account\.$/,
    );
  });

  it('says why a tool failed, and explains a filter without a server', async () => {
    await using agent = startAgent(['--url', '1']);
    await agent.ask('initialize', initializeParams);
    expect(await call(agent, 'info')).toMatch(/^Error: No server answers at http:\/\/127\.0\.0\.1:1: .+ Start one, /);
    expect(await call(agent, 'explain', { filter: "RowKey eq 'r'" })).toMatch(/^table-scan: /);
    expect(await call(agent, 'explain', { filtre: '' })).toBe("Error: There is no 'filtre'. Did you mean 'filter'?");
  });
});
