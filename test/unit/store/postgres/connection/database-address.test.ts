import { describe, expect, it, vi } from 'vitest';
import { nameOf, readAddress } from '../../../../../src/store/postgres/connection/database-address.js';
import { StoreError } from '../../../../../src/store/store-error.js';

const addressOf = (url: string) => ({ url, schema: 'tabularium' });

describe('the address of a database', () => {
  it('has host, port, user, password and database, each decoded', () => {
    expect(readAddress(addressOf('postgres://a%40b:p%2Fw@db.example:6000/my%20data'))).toMatchObject({
      host: 'db.example',
      port: 6000,
      user: 'a@b',
      password: 'p/w',
      database: 'my data',
    });
  });

  it('without a password leaves it to PGPASSWORD and PGPASSFILE', () => {
    expect(readAddress(addressOf('postgres://user@db/x'))).not.toHaveProperty('password');
  });

  it.each([
    ['postgres://db.example/x', { rejectUnauthorized: true, servername: 'db.example' }],
    ['postgres://10.0.0.7/x', { rejectUnauthorized: true }],
    ['postgres://db.example/x?sslmode=verify-full', { rejectUnauthorized: true, servername: 'db.example' }],
    ['postgres://127.0.0.1/x?sslmode=verify-full', { rejectUnauthorized: true }],
    ['postgres://db.example/x?sslmode=require', { rejectUnauthorized: false }],
    ['postgres://db.example/x?sslmode=disable', false],
    ['postgres://127.0.0.1/x', false],
    ['postgres://[::1]/x', false],
    ['postgres://localhost/x', false],
    ['postgres:///x?host=/var/run/postgresql', false],
    // Not the loopback address, although it looks like it.
    ['postgres://127.0.0.1.example.com/x', { rejectUnauthorized: true, servername: '127.0.0.1.example.com' }],
  ])('%s is reached with TLS %j', (url, ssl) => {
    expect(readAddress(addressOf(url)).ssl).toEqual(ssl);
  });

  it.each([
    'postgres://u:s3cret@db/x?sslmode=prefer',
    'postgres://u:s3cret@db/x?sslrootcert=/no/such',
    'postgres://u:s3cret@db/x?sslrootcert=/dev/null',
    'postgres://u:s3cret@:x/',
    'postgres://u:s3cret%zz@db/x',
    'postgres://u:s3cret@db/%ff',
  ])('refuses %s without showing the password', (url) => {
    expect(() => readAddress(addressOf(url))).toThrow(StoreError);
    expect(() => readAddress(addressOf(url))).not.toThrow('s3cret');
  });

  it('is not of this machine if PGHOST names another one', () => {
    vi.stubEnv('PGHOST', 'db.example');
    expect(readAddress(addressOf('postgres:///x')).ssl).toMatchObject({ rejectUnauthorized: true });
    vi.stubEnv('PGHOST', '/var/run/postgresql');
    expect(readAddress(addressOf('postgres:///x')).ssl).toBe(false);
    vi.unstubAllEnvs();
  });

  it('is named without user and password', () => {
    const name = nameOf(addressOf('postgres://u:s3cret@db.example:6000/x'));
    expect(name).toBe('the schema tabularium of the database x at db.example:6000');
  });
});
