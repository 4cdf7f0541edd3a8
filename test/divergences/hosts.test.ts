import { expect, it } from 'vitest';
import { expectTableError } from '../support/answers/expect-error.js';
import { describeService } from '../support/servers/describe-service.js';

const fromBrowser = {
  'Accept-Language': 'en-US',
  'User-Agent': 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/156.0.0.0 Safari/537.36',
};

describeService('Hosts', ({ client, service, withTable }) => {
  it('rejects a browser on a foreign host before any other check, and names the option that helps', async () => {
    const headers = { ...fromBrowser, Host: 'rebound.example:10002' };
    const message =
      'The host rebound.example is not allowed. Start the server with --allowedHosts rebound.example if it is yours.';

    const answers = [
      await client.get('/Tables', { headers }),
      await client.get('/Tables', { headers, auth: 'none' }),
      await client.post('/Tables', { TableName: 'rejected' }, { headers }),
      await client.send('OPTIONS', '/Tables', { headers: { ...headers, Origin: 'http://rebound.example:10002' } }),
    ];

    for (const answer of answers) {
      expectTableError(answer, 403, 'HostNotAllowed', { set: 'A3', type: 'application/json', message });
    }
    expect((await client.get("/Tables('rejected')")).status).toBe(404);
  });

  it('serves an SDK on any host, and a browser on an address, this machine or a single label', async () => {
    const table = await withTable();
    const hosts = ['localhost:1', '127.0.0.1', '[::1]:80', 'a.localhost', 'tabularium', new URL(service().url).host];

    const bySdk = await client.get(`/${table}`, { headers: { Host: 'tables.my-namespace.svc' } });
    const byBrowser = hosts.map((Host) => client.get(`/${table}`, { headers: { ...fromBrowser, Host } }));

    expect(bySdk.status).toBe(200);
    expect((await Promise.all(byBrowser)).map(({ status }) => status)).toEqual(hosts.map(() => 200));
  });
});

describeService(
  'Hosts of --allowedHosts',
  ({ client, withTable }) => {
    it('are served to browsers', async () => {
      const table = await withTable();

      const [named, other] = [
        await client.get(`/${table}`, { headers: { ...fromBrowser, Host: 'tables.example.com' } }),
        await client.get(`/${table}`, { headers: { ...fromBrowser, Host: 'other.example.com' } }),
      ];

      expect([named.status, other.status]).toEqual([200, 403]);
    });
  },
  { allowedHosts: ['tables.example.com'] },
);
