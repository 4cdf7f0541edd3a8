import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { printRequests } from '../../../src/commands/requests.js';
import { freePort } from '../../support/free-port.mjs';
import { configOf } from '../../support/parse-command.js';
import { ServiceClient } from '../../support/service-client.js';
import { type RunningService, startService } from '../../support/start-service.js';

describe('tabularium requests', () => {
  let service: RunningService;
  let client: ServiceClient;
  beforeAll(async () => {
    service = await startService();
    client = new ServiceClient(() => service);
    await client.get('/Tables');
    await client.get('/Missing');
  });
  afterAll(async () => {
    client.close();
    await service.close();
  });

  const settings = () => configOf(['--tablePort', new URL(service.url).port]);
  const linesOf = async (options: Parameters<typeof printRequests>[1]) => {
    const lines: string[] = [];
    await printRequests(settings(), options, (line) => lines.push(line));
    return lines;
  };

  it('prints a line for each request', async () => {
    expect(await linesOf({})).toEqual([
      expect.stringMatching(/^\d\d:\d\d:\d\d\.\d{3} 200 GET \/devstoreaccount1\/Tables [\d.]+ ms [0-9a-f-]{36}$/),
      expect.stringMatching(
        / 404 GET \/devstoreaccount1\/Missing TableNotFound [\d.]+ ms 0\/0 table scan \(no filter\) [0-9a-f-]{36}$/,
      ),
    ]);
  });

  it('prints those that are selected, as JSON if asked to', async () => {
    const [line = '', ...others] = await linesOf({ status: '4xx', json: true });
    expect(others).toEqual([]);
    expect(JSON.parse(line)).toMatchObject({ StatusText: 'TableNotFound' });
  });

  it('writes an archive', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'tabularium-har-'));
    const har = join(folder, 'own.har');
    expect(await linesOf({ har, limit: '1' })).toEqual([]);
    const { log } = JSON.parse(await readFile(har, 'utf8'));
    expect(log.entries).toMatchObject([{ request: { method: 'GET' }, response: { status: 404 } }]);
    await rm(folder, { recursive: true });
  });

  it('says what the server rejects', async () => {
    await expect(linesOf({ status: 'x' })).rejects.toThrow(/refused: A status is three digits/);
  });

  it('says that no server is there', async () => {
    await expect(printRequests(configOf(['--tablePort', String(await freePort())]), {}, () => {})).rejects.toThrow(
      /No server answers at http:.*Start one, or name another one with --url or TABULARIUM_URL/,
    );
  });
});
