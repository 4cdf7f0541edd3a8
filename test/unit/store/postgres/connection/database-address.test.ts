import { describe, expect, it, vi } from 'vitest';
import { nameOf, readAddress } from '../../../../../src/store/postgres/connection/database-address.js';
import { StoreError } from '../../../../../src/store/store-error.js';

const addressOf = (url: string) => ({ url, schema: 'tabularium' });

describe('the address of a database', () => {
  it('has host, port, user, password and database, each decoded', () => {
    expect(readAddress(addressOf('postgres://a%40b:p%2Fw@db.example:6000/my%20data'))).toMatchObject({
      hosts: [{ host: 'db.example', port: 6000 }],
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
    expect(readAddress(addressOf(url)).hosts[0]?.ssl).toEqual(ssl);
  });

  it.each([
    'postgres://u:s3cret@db/x?sslmode=prefer',
    'postgres://u:s3cret@db/x?sslrootcert=/no/such',
    'postgres://u:s3cret@db/x?sslrootcert=/dev/null',
    'postgres://u:s3cret@:x/',
    'postgres://u:s3cret%zz@db/x',
    'postgres://u:s3cret@db/%ff',
  ])('rejects %s without showing the password', (url) => {
    expect(() => readAddress(addressOf(url))).toThrow(StoreError);
    expect(() => readAddress(addressOf(url))).not.toThrow('s3cret');
  });

  it('is not of this machine if PGHOST names another one', () => {
    vi.stubEnv('PGHOST', 'db.example');
    expect(readAddress(addressOf('postgres:///x')).hosts[0]?.ssl).toMatchObject({ rejectUnauthorized: true });
    vi.stubEnv('PGHOST', '/var/run/postgresql');
    expect(readAddress(addressOf('postgres:///x')).hosts[0]?.ssl).toBe(false);
    vi.unstubAllEnvs();
  });

  it('is named without user and password', () => {
    const name = nameOf(addressOf('postgres://u:s3cret@db.example:6000/x'));
    expect(name).toBe('the schema tabularium of the database x at db.example:6000');
  });

  it('may have several hosts, whose servers are tried in turn', () => {
    const several = addressOf('postgres://u:s3@cret@db1.example:6000,127.0.0.1,[::1]:7000/x');
    expect(readAddress(several)).toMatchObject({
      ...{ user: 'u', password: 's3@cret', database: 'x' },
      hosts: [
        { host: 'db1.example', port: 6000, ssl: { servername: 'db1.example' } },
        { host: '127.0.0.1', ssl: false },
        { host: '::1', port: 7000, ssl: false },
      ],
    });
    expect(nameOf(several)).toBe('the schema tabularium of the database x at db1.example:6000, 127.0.0.1, ::1:7000');
    expect(readAddress(addressOf('postgres:///x?host=/run/a,/run/b')).hosts).toMatchObject([
      { host: '/run/a' },
      { host: '/run/b' },
    ]);
  });

  it.each([
    ['', false],
    ['?target_session_attrs=any', false],
    ['?target_session_attrs=read-write', true],
    ['?target_session_attrs=primary', true],
  ])('with %j reads from the primary alone: %j', (parameters, isPrimaryOnly) => {
    expect(readAddress(addressOf(`postgres://db/x${parameters}`))).toMatchObject({ isPrimaryOnly });
  });

  it.each([
    ['target_session_attrs=standby', /^target_session_attrs in the address .* no such value/],
    ['target_session_attrs=prefer-standby', /^target_session_attrs in the address .* no such value/],
    ['connect_timeout=3', /^The parameter connect_timeout in the address of the database is not used/],
    ['sslmode=disable&options=-csearch_path%3Dx', /^The parameter options in the address/],
  ])('rejects %s by its name', (parameters, message) => {
    expect(() => readAddress(addressOf(`postgres://u:s3cret@db/x?${parameters}`))).toThrow(message);
  });
});
