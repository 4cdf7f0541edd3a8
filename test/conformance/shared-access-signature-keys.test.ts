import { expect, it } from 'vitest';
import type { Answer } from '../support/answers/answer.js';
import { expectSuccess } from '../support/answers/expect-answer.js';
import { expectTableError } from '../support/answers/expect-error.js';
import { describeService } from '../support/servers/describe-service.js';
import { type AccessFields, tableAccess, withAccess } from '../support/signatures/sign-access.js';

const bySignature = { auth: 'none' } as const;
const rejected = 'This request is not authorized to perform this operation.';

/** The keys of a table, in key order. */
const stored = ['a/1', 'b/1', 'b/2', 'b/3', 'c/1', 'c/2', 'd/1'];
const keysOf = ({ rows }: Answer) => rows.map((row) => `${row['PartitionKey']}/${row['RowKey']}`);
const pathOf = (table: string, key: string) => {
  const [partitionKey, rowKey] = key.split('/');
  return `/${table}(PartitionKey='${partitionKey}',RowKey='${rowKey}')`;
};

/** Ranges, and the keys that each one allows. Source: auth 2.5. */
const ranges: readonly (readonly [fields: AccessFields, within: readonly string[]])[] = [
  [{ spk: 'b' }, ['b/1', 'b/2', 'b/3', 'c/1', 'c/2', 'd/1']],
  [{ epk: 'b' }, ['a/1', 'b/1', 'b/2', 'b/3']],
  [{ spk: 'b', epk: 'c' }, ['b/1', 'b/2', 'b/3', 'c/1', 'c/2']],
  [{ spk: 'b', srk: '2' }, ['b/2', 'b/3', 'c/1', 'c/2', 'd/1']],
  [{ epk: 'c', erk: '1' }, ['a/1', 'b/1', 'b/2', 'b/3', 'c/1']],
  [{ spk: 'b', srk: '2', epk: 'c', erk: '1' }, ['b/2', 'b/3', 'c/1']],
  [{ spk: 'b', srk: '2', epk: 'b', erk: '2' }, ['b/2']],
  [{ spk: 'b', srk: '15', epk: 'b', erk: '25' }, ['b/2']],
  [{ spk: 'bb', epk: 'c' }, ['c/1', 'c/2']],
  [{ spk: 'c', epk: 'b' }, []],
  [{ spk: 'B', epk: 'Z' }, []],
  [{}, stored],
  // An empty key and a missing key give the same text to sign, so both mean an open end.
  [{ spk: '', srk: '', epk: '', erk: '' }, stored],
  [{ spk: 'c', srk: '', epk: 'c', erk: '' }, ['c/1', 'c/2']],
  [{ spk: '', epk: 'b', erk: '2' }, ['a/1', 'b/1', 'b/2']],
];

describeService('Shared access signatures over a range of keys', ({ client, withTable }) => {
  const withRows = async () => {
    const table = await withTable();
    for (const key of stored) {
      const [PartitionKey, RowKey] = key.split('/');
      await client.post(`/${table}`, { PartitionKey, RowKey, A: 1 }, { prefer: 'return-no-content' });
    }
    return table;
  };
  const by = (table: string, path: string, fields: AccessFields) => withAccess(path, tableAccess(table, fields));

  it.each(ranges)('A20 lists %o as %j', async (range, within) => {
    const table = await withRows();

    const answer = await client.get(by(table, `/${table}()`, range), bySignature);

    expectSuccess(answer, 200);
    expect(keysOf(answer)).toEqual(within);
  });

  it.each(ranges)('A20 reads single entities only within the range %o', async (range, within) => {
    const table = await withRows();
    const visible: string[] = [];

    for (const key of stored) {
      const answer = await client.get(by(table, pathOf(table, key), range), bySignature);
      if (answer.status === 200) visible.push(key);
      else expectTableError(answer, 404, 'ResourceNotFound', { set: 'B2' });
    }

    expect(visible).toEqual(within);
  });

  it('A20 limits the rows of a filter to the range', async () => {
    const table = await withRows();
    const filtered = `/${table}?$filter=${encodeURIComponent("PartitionKey ge 'b' and RowKey eq '1'")}`;

    const answer = await client.get(by(table, filtered, { spk: 'c', epk: 'c' }), bySignature);

    expect(keysOf(answer)).toEqual(['c/1']);
  });

  it('A20 pages within the range, and ends with it', async () => {
    const table = await withRows();
    const range = { spk: 'b', srk: '2', epk: 'c', erk: '1' };
    const first = await client.get(by(table, `/${table}?$top=2`, range), bySignature);
    const next = ['NextPartitionKey', 'NextRowKey']
      .map((name) => `${name}=${first.headers[`x-ms-continuation-${name.toLowerCase()}`]}`)
      .join('&');

    const second = await client.get(by(table, `/${table}?$top=2&${next}`, range), bySignature);

    expect([keysOf(first), keysOf(second)]).toEqual([['b/2', 'b/3'], ['c/1']]);
    expect(second.headers).not.toHaveProperty('x-ms-continuation-nextpartitionkey');
  });

  it('A20 returns nothing outside the range for a token of a wider range', async () => {
    const table = await withRows();
    const wide = await client.get(`/${table}?$top=5`);
    const token = `NextPartitionKey=${wide.headers['x-ms-continuation-nextpartitionkey']}`;

    const answer = await client.get(by(table, `/${table}?${token}`, { spk: 'a', epk: 'b' }), bySignature);

    expect(keysOf(answer)).toEqual([]);
  });

  it('A19 inserts only within the range', async () => {
    const table = await withTable();
    const path = by(table, `/${table}`, { sp: 'a', spk: 'b', srk: '2', epk: 'b', erk: '4' });
    const insertAt = (PartitionKey: string, RowKey: string) =>
      client.post(path, { PartitionKey, RowKey }, { ...bySignature, prefer: 'return-no-content' });

    const inside = [await insertAt('b', '2'), await insertAt('b', '3'), await insertAt('b', '4')];
    const outside = [
      await insertAt('b', '1'),
      await insertAt('b', '5'),
      await insertAt('a', '3'),
      await insertAt('c', '3'),
    ];

    expect(inside.map(({ status }) => status)).toEqual([204, 204, 204]);
    for (const answer of outside) {
      expectTableError(answer, 403, 'AuthorizationFailure', { set: 'B2', message: rejected });
    }
    expect(keysOf(await client.get(`/${table}`))).toEqual(['b/2', 'b/3', 'b/4']);
  });

  it.each([
    ['PUT', '*'],
    ['MERGE', '*'],
    ['PATCH', '*'],
    ['DELETE', '*'],
    ['PUT', undefined],
    ['MERGE', undefined],
    ['PATCH', undefined],
  ] as const)(
    'A19 rejects %s with If-Match %s outside the range, even if the entity does not exist',
    async (method, tag) => {
      const table = await withRows();
      const body = method === 'DELETE' ? undefined : { A: 2 };
      const options = { ...bySignature, body, ...(tag && { ifMatch: tag }) };
      const range = { spk: 'b', epk: 'c' };

      const existing = await client.send(method, by(table, pathOf(table, 'a/1'), range), options);
      const missing = await client.send(method, by(table, pathOf(table, 'e/1'), range), options);
      const within = await client.send(method, by(table, pathOf(table, 'b/1'), range), options);

      for (const answer of [existing, missing]) {
        expectTableError(answer, 403, 'AuthorizationFailure', { set: 'B2', message: rejected });
      }
      expect(within.status).toBe(204);
      expect((await client.get(pathOf(table, 'a/1'))).json['A']).toBe(1);
    },
  );

  it.each(['spk', 'srk', 'epk', 'erk'] as const)('signs %s', async (name) => {
    const table = await withTable();
    const path = by(table, `/${table}`, { spk: 'b', srk: 'b', epk: 'b', erk: 'b' });

    const answer = await client.get(path.replace(`${name}=b`, `${name}=c`), bySignature);

    expectTableError(answer, 403, 'AuthenticationFailed', { set: 'A1' });
  });

  it.each<AccessFields>([
    { srk: '2' },
    { erk: '2' },
    { spk: '', srk: '2' },
    { epk: '', erk: '2' },
    { spk: 'b', erk: '2' },
    { epk: 'b', srk: '2' },
  ])('rejects a row key without its partition key: %o', async (fields) => {
    const table = await withTable();

    const answer = await client.get(by(table, `/${table}`, fields), bySignature);

    expectTableError(answer, 403, 'AuthenticationFailed', { set: 'A1' });
  });

  it.each(['spk', 'srk', 'epk', 'erk'])('allows the same for a URL without its empty %s', async (name) => {
    const table = await withRows();
    const signed = by(table, `/${table}`, { sp: 'a', spk: 'a', epk: 'a', [name]: '' });
    const lost = signed.replace(`&${name}=&`, '&');
    const insert = { PartitionKey: 'a', RowKey: 'zzz' };

    const answers = [await client.post(signed, insert, bySignature), await client.post(lost, insert, bySignature)];

    expect(lost).not.toBe(signed);
    expect(answers.map(({ status }) => status)).toEqual([201, 409]);
  });

  it('accepts keys that need encoding', async () => {
    const table = await withTable();
    const PartitionKey = "it's 100% + ü";
    await client.post(`/${table}`, { PartitionKey, RowKey: 'r' });

    const answer = await client.get(by(table, `/${table}`, { spk: PartitionKey, epk: PartitionKey }), bySignature);

    expect(answer.rows).toHaveLength(1);
  });
});
