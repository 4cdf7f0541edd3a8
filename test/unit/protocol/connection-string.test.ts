import { describe, expect, it } from 'vitest';
import { cosmosEmulatorAccount } from '../../../src/protocol/access/accounts.js';
import { portOf, writeConnectionString } from '../../../src/protocol/access/connection-string.js';

const key = 'a2V5';

describe('a connection string of Cosmos DB', () => {
  it.each(['http://127.0.0.1:8902', 'http://localhost:8902', 'http://[::1]:8902', 'http://0.0.0.0:8902'])(
    'names the host localhost for a server at %s, by which SDKs know Cosmos DB',
    (root) => {
      const [account] = cosmosEmulatorAccount.keys;
      expect(writeConnectionString(root, cosmosEmulatorAccount)).toBe(
        `DefaultEndpointsProtocol=http;AccountName=localhost;AccountKey=${account};TableEndpoint=http://localhost:8902/;`,
      );
    },
  );

  it('names another account in the path', () => {
    expect(writeConnectionString('https://tables:1', { name: 'own', keys: [key], dialect: 'cosmos' })).toBe(
      `DefaultEndpointsProtocol=https;AccountName=own;AccountKey=${key};TableEndpoint=https://tables:1/own;`,
    );
  });
});

describe('a connection string of a storage account', () => {
  it('names the account in the path', () => {
    expect(writeConnectionString('http://localhost:1', { name: 'own', keys: [key] })).toBe(
      `DefaultEndpointsProtocol=http;AccountName=own;AccountKey=${key};TableEndpoint=http://localhost:1/own;`,
    );
  });
});

describe('portOf', () => {
  it.each([
    ['http://127.0.0.1:10002', 10_002],
    ['http://127.0.0.1', 80],
    ['http://127.0.0.1:80', 80],
    ['https://[::1]', 443],
    ['https://tables.example:443/', 443],
  ])('of %s is %i, also if the URL leaves it out', (url, port) => {
    expect(portOf(url)).toBe(port);
  });
});
