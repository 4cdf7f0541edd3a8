import { expect, it } from 'vitest';
import type { LogEntry } from '../../src/insight/journal/log-entry.js';
import { RawConnection } from '../support/clients/raw-connection.js';
import { describeService } from '../support/servers/describe-service.js';

describeService(
  'A request whose target is an absolute URL',
  ({ service }) => {
    const send = async (target: string, host: string) => {
      const connection = await RawConnection.open(service());
      await connection.write(`GET ${target} HTTP/1.1\r\nHost: ${host}\r\n\r\n`);
      const answer = await connection.answer();
      connection.destroy();
      return answer;
    };

    it.each([
      ['http://tables.attacker.example/_tabularium/info', 'localhost', 403],
      ['http://localhost@tables.attacker.example/_tabularium/info', 'localhost', 403],
      ['http://127.0.0.1:1@tables.attacker.example:80/_tabularium/info', 'localhost', 403],
      ['http://localhost/_tabularium/info', 'tables.attacker.example', 200],
      ['http://user@localhost/_tabularium/info', 'tables.attacker.example', 200],
      ['http:///_tabularium/info', 'tables.attacker.example', 403],
      ['/_tabularium/info', 'tables.attacker.example', 403],
    ])('%s with the Host %s is judged by the host of its target: %i', async (target, host, status) => {
      expect((await send(target, host))?.status).toBe(status);
    });

    it('is for the account of its own host', async () => {
      await send('http://second.table.localhost/Tables', 'first.table.localhost');
      const answer = await (await fetch(`${service().url}/_tabularium/requests?limit=1`)).json();
      const { requests } = answer as { readonly requests: readonly LogEntry[] };
      expect(requests).toMatchObject([{ AccountName: 'second', Uri: 'http://second.table.localhost/Tables' }]);
    });
  },
  {
    accounts: [
      { name: 'first', keys: ['Zmlyc3Q='] },
      { name: 'second', keys: ['c2Vjb25k'] },
    ],
  },
);
