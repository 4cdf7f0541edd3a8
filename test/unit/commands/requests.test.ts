import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ServiceClient } from '../../support/clients/service-client.js';
import { freePort } from '../../support/programs/free-port.mjs';
import { runLine } from '../../support/programs/run-line.js';
import { type RunningService, startService } from '../../support/servers/start-service.js';

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

  const run = (...words: readonly string[]) => runLine(words, { TABULARIUM_URL: service.url });

  it('prints a line for each request', async () => {
    const { out } = await run('requests');
    expect(out.trimEnd().split('\n')).toEqual([
      expect.stringMatching(/^\d\d:\d\d:\d\d\.\d{3} 200 GET \/devstoreaccount1\/Tables [\d.]+ ms [0-9a-f-]{36}$/),
      expect.stringMatching(
        / 404 GET \/devstoreaccount1\/Missing TableNotFound [\d.]+ ms 0\/0 table scan \(no filter\) [0-9a-f-]{36}$/,
      ),
    ]);
  });

  it('prints those that are selected, as JSON if asked to', async () => {
    const { out } = await run('requests', '--status', '4xx', '--json');
    expect(JSON.parse(out)).toMatchObject({ requests: [{ StatusText: 'TableNotFound' }] });
  });

  it('shows one of them with a command line that sends it again', async () => {
    const { requests } = JSON.parse((await run('requests', '--status', '200', '--limit', '1', '--json')).out);
    const { out } = await run('request', 'show', requests[0].CorrelationId);
    expect(out.trimEnd().split('\n')).toEqual([
      expect.stringContaining(' 200 GET /devstoreaccount1/Tables '),
      expect.stringMatching(/^curl --request GET .*\$SAS/),
    ]);
  });

  it.each(['QueryEntities', 'query entities', 'DELETETABLE'])('take the operation %s', async (name) => {
    expect(await run('requests', '--op', name)).toMatchObject({ code: 0, errors: '' });
  });

  it('name the operations when there is none of the name', async () => {
    expect(await run('requests', '--op', 'foo')).toMatchObject({
      code: 2,
      out: '',
      errors: expect.stringMatching(/^--op must be one of: QueryTables, CreateTable, .*; got 'foo'\.\n$/),
    });
  });

  it('says what is wrong, before it asks the server', async () => {
    const { errors } = await run('requests', '--status', 'x');
    expect(errors).toBe(
      "--status must be a status, such as 404, a kind of status, such as 4xx, or rejected; got 'x'.\n",
    );
  });

  it('says that no server is there', async () => {
    const { errors } = await run('requests', '--url', String(await freePort()));
    expect(errors).toMatch(/No server answers at http:.*Start one, or name another one with --url or TABULARIUM_URL/);
  });
});
