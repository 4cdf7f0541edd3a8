import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { ServiceClient } from '../../support/clients/service-client.js';
import { freePort } from '../../support/programs/free-port.mjs';
import { runLine } from '../../support/programs/run-line.js';
import { type RunningService, startService } from '../../support/servers/start-service.js';

describe('A command that asks several servers', () => {
  let services: readonly RunningService[] = [];
  let both: readonly string[] = [];
  beforeEach(async () => {
    services = [await startService(), await startService()];
    both = services.flatMap(({ url }) => ['--url', url]);
  });
  afterEach(async () => {
    for (const service of services) await service.close();
  });

  /** Reads the tables of each server. */
  const readTables = async () => {
    for (const service of services) {
      const client = new ServiceClient(() => service);
      await client.get('/Tables');
      client.close();
    }
  };

  it('prints the answer of each with the URL of its server', async () => {
    const line = 'busy: ServerBusy, 0 of 1 hits of 0 requests';
    expect(await runLine(['fault', 'create', 'id=busy', 'fault=503', 'times=1', ...both])).toEqual({
      code: 0,
      out: services.map(({ url }) => `${url} ${line}\n`).join(''),
      errors: '',
    });
    const { out } = await runLine(['fault', 'list', '--json', ...both]);
    expect(
      out
        .trim()
        .split('\n')
        .map((one) => JSON.parse(one)),
    ).toMatchObject(services.map(({ url }) => ({ server: url, faults: [{ id: 'busy' }] })));
  });

  it('is rejected if it prints an environment, which a shell could not evaluate', async () => {
    expect(await runLine(['identity', 'environment', 'reader', ...both])).toEqual({
      code: 2,
      out: '',
      errors: 'A program runs with the environment of one server. Name one with --url.\n',
    });
  });

  it('asks the others if one rejects', async () => {
    const [first, second] = services.map(({ url }) => url);
    await runLine(['fault', 'create', 'id=busy', 'fault=503', '--url', second ?? '']);
    expect(await runLine(['fault', 'delete', 'busy', ...both])).toEqual({
      code: 2,
      out: `${second} deleted\n`,
      errors: `${first}: There is no fault rule busy.\n`,
    });
  });

  /** Waits until a running command has printed this many lines. */
  const untilPrinted = (lines: number) =>
    expect.poll(() => vi.mocked(process.stdout.write).mock.calls.length).toBe(lines);

  it('follows all of them at the same time', async () => {
    await readTables();
    const following = runLine(['requests', '--follow', ...both]);
    await untilPrinted(2);
    // It ends when both have stopped, the first one last.
    await services[1]?.close();
    await services[0]?.close();
    const { code, out } = await following;
    expect(code).toBe(0);
    for (const { url } of services) expect(out).toContain(`${url} `);
    expect(out.match(/ 200 GET .*\/Tables /g)).toHaveLength(2);
  });

  it('prints what is wrong with each on a line of its own, and follows the others', async () => {
    const absent = await Promise.all([freePort(), freePort()]);
    const urls = absent.flatMap((port) => ['--url', String(port)]);
    const error = absent.map((port) => `No server answers at http://127.0.0.1:${port}: .+\n`).join('');
    expect(await runLine(['tables', ...urls])).toEqual({
      code: 2,
      out: '',
      errors: expect.stringMatching(new RegExp(`^${error}$`)),
    });
    await readTables();
    const following = runLine(['requests', '--follow', ...urls, ...both]);
    await untilPrinted(2);
    expect(vi.mocked(process.stderr.write)).toHaveBeenCalledTimes(2);
    for (const service of services) await service.close();
    const { code, out } = await following;
    expect(code).toBe(2);
    expect(out.match(/ 200 GET .*\/Tables /g)).toHaveLength(2);
  });

  it.each([
    [['import', '-'], 'Standard input can be read only once.'],
    [['import', 'people.csv', '-'], 'Standard input can be read only once.'],
    [['coach', '--report', 'coach.md'], 'A report is about one server.'],
    [['export', 'people.csv'], 'A file comes from one server.'],
  ])('cannot be %j', async (words, reason) => {
    expect(await runLine([...words, ...both])).toEqual({
      code: 2,
      out: '',
      errors: `${reason} Name one with --url.\n`,
    });
  });
});
