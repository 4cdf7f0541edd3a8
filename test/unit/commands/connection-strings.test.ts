import { TableServiceClient } from '@azure/data-tables';
import { createTableService } from 'azure-storage';
import { describe, expect, it } from 'vitest';
import {
  accountEndpoint,
  connectionString,
  endpointOf,
  tableEndpoint,
} from '../../../src/client/connection-strings.js';
import { cosmosEmulatorAccount, developmentAccount } from '../../../src/protocol/access/accounts.js';
import { configOf } from '../../support/clients/parse-command.js';

describe('tableEndpoint', () => {
  it.each([
    ['127.0.0.1', 'http://127.0.0.1:10002/devstoreaccount1'],
    ['localhost', 'http://localhost:10002/devstoreaccount1'],
    ['0.0.0.0', 'http://127.0.0.1:10002/devstoreaccount1'],
    ['::', 'http://[::1]:10002/devstoreaccount1'],
    ['::1', 'http://[::1]:10002/devstoreaccount1'],
  ])('for a server on %s is %s', (host, endpoint) => {
    expect(tableEndpoint({ scheme: 'http', host, port: 10002 }, 'devstoreaccount1')).toBe(endpoint);
  });
});

describe('connectionString', () => {
  const endpoint = { scheme: 'https', host: '127.0.0.1', port: 10002 } as const;

  it('contains scheme, account, first key and address', () => {
    const account = { name: 'first', keys: ['a2V5MQ==', 'a2V5Mg=='] };

    expect(connectionString(endpoint, account)).toBe(
      'DefaultEndpointsProtocol=https;AccountName=first;AccountKey=a2V5MQ==;' +
        'TableEndpoint=https://127.0.0.1:10002/first;',
    );
  });

  it('is accepted by a client', () => {
    const client = TableServiceClient.fromConnectionString(connectionString(endpoint, developmentAccount));

    expect(client.url).toBe('https://127.0.0.1:10002/devstoreaccount1');
  });

  it.each([developmentAccount, cosmosEmulatorAccount])(
    'for $name has only settings that azure-storage for Node.js knows, which rejects any other',
    (account) => {
      const service = createTableService(connectionString(endpoint, account));

      expect(service.host.primaryHost).toBe(accountEndpoint(endpoint, account));
    },
  );
});

describe('endpointOf', () => {
  it('returns scheme, host and port of a server with these settings', () => {
    expect(endpointOf(configOf(['--https', '--tablePort', '4711']))).toEqual({
      scheme: 'https',
      host: '127.0.0.1',
      port: 4711,
    });
  });

  it('rejects port 0', () => {
    expect(() => endpointOf(configOf(['--tablePort', '0']))).toThrow('Use the port that the server printed');
  });
});
