import { expect, it } from 'vitest';
import { cosmosEtag, cosmosTime } from '../../support/answers/cosmos-answers.js';
import { describeService } from '../../support/servers/describe-service.js';

// Source: cosmos 2; cosmos 3; cosmos 9.
describeService(
  'Cosmos DB, the JSON of entities',
  ({ client, withTable, withEntity, service }) => {
    const merge = { headers: { 'X-HTTP-Method': 'MERGE' } };
    const namesOf = (json: object) => Object.keys(json).filter((name) => !name.includes('odata.'));

    it('has the metadata URL with the table twice, then the tag, and the Timestamp at the end', async () => {
      const { table, path } = await withEntity({ A: 'x', B: 1 });

      const { json } = await client.get(path);

      expect(Object.entries(json)).toEqual([
        ['odata.metadata', `${service().base}/${table}/$metadata#${table}/@Element`],
        ['odata.etag', cosmosEtag],
        ['PartitionKey', 'p'],
        ['RowKey', 'r'],
        ['A', 'x'],
        ['B', 1],
        ['Timestamp', cosmosTime],
      ]);
    });

    it('has the metadata URL of a list at the end', async () => {
      const { table } = await withEntity({ A: 'x' });

      const { json } = await client.get(`/${table}()`);

      expect(Object.entries(json)).toEqual([
        ['value', [{ 'odata.etag': cosmosEtag, PartitionKey: 'p', RowKey: 'r', A: 'x', Timestamp: cosmosTime }]],
        ['odata.metadata', `${service().base}/$metadata#${table}`],
      ]);
    });

    it('has type and links at full metadata, and nothing of it without metadata', async () => {
      const { table, path } = await withEntity({ A: 'x' });
      const { base, account } = service();

      const full = await client.get(path, { accept: 'application/json;odata=fullmetadata' });
      const none = await client.get(`/${table}()`, { accept: 'application/json;odata=nometadata' });

      expect(Object.entries(full.json)).toEqual([
        ['odata.type', `${account.name}.${table}`],
        ['odata.id', `${base}${path}`],
        ['odata.editLink', path.slice(1)],
        ['odata.metadata', `${base}/${table}/$metadata#${table}/@Element`],
        ['odata.etag', cosmosEtag],
        ['PartitionKey', 'p'],
        ['RowKey', 'r'],
        ['A', 'x'],
        ['Timestamp@odata.type', 'Edm.DateTime'],
        ['Timestamp', cosmosTime],
      ]);
      expect(none.json).toEqual({ value: [{ PartitionKey: 'p', RowKey: 'r', A: 'x', Timestamp: cosmosTime }] });
    });

    it('keeps the order of an insert, with the keys where they stood', async () => {
      const table = await withTable();
      const body = '{"b":1,"RowKey":"r","a":2,"PartitionKey":"p","Z":3}';

      const inserted = await client.post(`/${table}`, body);

      expect(namesOf(inserted.json)).toEqual(['b', 'RowKey', 'a', 'PartitionKey', 'Z', 'Timestamp']);
    });

    it('has the keys first after a replace, and then the order of the body', async () => {
      const table = await withTable();
      const path = `/${table}(PartitionKey='p',RowKey='r')`;
      await client.post(`/${table}`, '{"b":1,"RowKey":"r","PartitionKey":"p"}');

      await client.put(path, '{"z":1,"RowKey":"r","a":2,"PartitionKey":"p"}');

      const { json } = await client.get(path);
      expect(namesOf(json)).toEqual(['PartitionKey', 'RowKey', 'z', 'a', 'Timestamp']);
    });

    it('has the keys first after a merge that inserts', async () => {
      const table = await withTable();
      const path = `/${table}(PartitionKey='p',RowKey='r')`;

      await client.post(path, '{"z":1,"RowKey":"r","a":2,"PartitionKey":"p"}', merge);

      const { json } = await client.get(path);
      expect(namesOf(json)).toEqual(['PartitionKey', 'RowKey', 'z', 'a', 'Timestamp']);
    });

    it('keeps the order of an entity in a merge, also if a type changes, and adds new names at the end', async () => {
      const table = await withTable();
      const path = `/${table}(PartitionKey='p',RowKey='r')`;
      await client.post(`/${table}`, '{"b":1,"RowKey":"r","a":2,"PartitionKey":"p","c":3}');

      await client.post(path, '{"new":1,"a":"text","RowKey":"r"}', merge);

      const { json } = await client.get(path);
      expect(namesOf(json)).toEqual(['b', 'RowKey', 'a', 'PartitionKey', 'c', 'new', 'Timestamp']);
      expect(json['a']).toBe('text');
    });

    it('writes an annotation directly before its property', async () => {
      const { path } = await withEntity({ A: '5', B: 1, 'A@odata.type': 'Edm.Int64' });

      const { json } = await client.get(path);

      expect(Object.keys(json).slice(4)).toEqual(['A@odata.type', 'A', 'B', 'Timestamp']);
    });

    it.each([
      ['Edm.DateTime', '2021-04-07T23:49:58Z', '2021-04-07T23:49:58.0000000Z'],
      ['Edm.DateTime', '2021-04-07T23:49:58.909166Z', '2021-04-07T23:49:58.9091660Z'],
      ['Edm.DateTime', '2021-04-07T23:49:58.1234567Z', '2021-04-07T23:49:58.1234567Z'],
      ['Edm.Int64', '-1125899906842624', '-1125899906842624'],
      ['Edm.Guid', 'c9da6455-213d-42c9-9a79-3e9149a57833', 'c9da6455-213d-42c9-9a79-3e9149a57833'],
      ['Edm.Binary', '', ''],
      ['Edm.Double', 'NaN', 'NaN'],
      ['Edm.Double', '-Infinity', '-Infinity'],
    ])('annotates %s, and returns %s as %s', async (type, sent, expected) => {
      const { path } = await withEntity({ A: sent, 'A@odata.type': type });

      const { json } = await client.get(path);

      expect([json['A@odata.type'], json['A']]).toEqual([type, expected]);
    });

    it.each([
      ['5', '5.0'],
      ['3.1', '3.1'],
    ])('returns the double %s as %s, without an annotation', async (sent, expected) => {
      const table = await withTable();

      const { body } = await client.post(
        `/${table}`,
        `{"PartitionKey":"p","RowKey":"r","A@odata.type":"Edm.Double","A":${sent}}`,
      );

      expect(body).toContain(`"RowKey":"r","A":${expected},"Timestamp"`);
    });

    it('writes letters beyond ASCII, in values and names, as they are', async () => {
      const { table, path } = await withEntity({ 啊齄丂狛狜: 'ꀕ😀\u2028/<>&\'"\\u00e9' });

      const single = await client.get(path);
      const list = await client.get(`/${table}()`);

      for (const { body } of [single, list]) expect(body).toContain('"啊齄丂狛狜":"ꀕ😀\u2028/<>&\'\\"\\\\u00e9"');
      expect(list.rows).toEqual([expect.objectContaining({ 啊齄丂狛狜: 'ꀕ😀\u2028/<>&\'"\\u00e9' })]);
    });

    it('drops Etag, on insert and on merge, and keeps etag and timestamp', async () => {
      const { path } = await withEntity({ etag: 'a', Etag: 'b', timestamp: 'c', Timestamp: 'd' });

      await client.post(path, { Etag: 'e', etag: 'f' }, merge);

      const { json } = await client.get(path);
      expect(namesOf(json)).toEqual(['PartitionKey', 'RowKey', 'etag', 'timestamp', 'Timestamp']);
      expect(json).toMatchObject({ etag: 'f', timestamp: 'c' });
    });

    it('keeps empty strings and spaces', async () => {
      const values = { A: '', B: '   ', C: '  x  ' };
      const { path } = await withEntity(values);

      expect((await client.get(path)).json).toMatchObject(values);
    });

    it('selects properties in the stored order, and the keys and the Timestamp only if they are selected', async () => {
      const { table, path } = await withEntity({ c: 1, b: 2, a: 3 });

      const single = await client.get(`${path}?$select=a,c`);
      const list = await client.get(`/${table}()?$select=b,RowKey,Timestamp`);

      expect(Object.keys(single.json)).toEqual(['odata.metadata', 'odata.etag', 'c', 'a']);
      expect(single.json['odata.metadata']).toBe(`${service().base}/${table}/$metadata#${table}/@Element`);
      expect(list.rows.map(Object.keys)).toEqual([['odata.etag', 'RowKey', 'b', 'Timestamp']]);
    });

    it('has one time in tag, header and Timestamp, always with seven digits', async () => {
      const table = await withTable();
      for (let at = 0; at < 12; at++) {
        const { json, headers } = await client.post(`/${table}`, { PartitionKey: 'p', RowKey: `${at}` });
        const time = String(json['Timestamp']);
        expect(time).toEqual(cosmosTime);
        expect([headers['etag'], json['odata.etag']]).toEqual(
          Array(2).fill(`W/"datetime'${time.replaceAll(':', '%3A')}'"`),
        );
      }
    });

    it('accepts its own tags, and those without zeros at the end', async () => {
      const { path, etag } = await withEntity();
      const short = etag.replace(/\.?0*Z/, 'Z');

      const first = await client.put(path, { A: 1 }, { ifMatch: short });
      const second = await client.put(path, { A: 2 }, { ifMatch: first.headers['etag'] ?? '' });
      const third = await client.put(path, { A: 3 }, { ifMatch: etag });

      expect([first.status, second.status, third.status]).toEqual([204, 204, 412]);
    });

    it.each([
      ["O'Brien", "O''Brien"],
      ['table@storage.com', 'table@storage.com'],
      ['a"b', 'a%22b'],
      ['a b+c:d,e;f=g&h$i', 'a%20b+c:d,e;f=g&h$i'],
      ['é', '%C3%A9'],
      ['50%', '50%25'],
    ])('writes the key %s as %s in its place, encoding only what no URI may contain', async (key, written) => {
      const table = await withTable();

      const answer = await client.post(`/${table}`, { PartitionKey: 'p', RowKey: key });

      const location = answer.headers['location'] ?? '';
      expect(location).toBe(`${service().base}/${table}(PartitionKey='p',RowKey='${written}')`);
      expect((await client.get(location.slice(service().base.length))).json['RowKey']).toBe(key);
    });

    it('has no limit of 252 properties, 255 letters of a name or 64 KiB of a value', async () => {
      const many = Object.fromEntries(Array.from({ length: 255 }, (_, at) => [`p${at}`, at]));

      const answers = await Promise.all(
        [many, { ['n'.repeat(1000)]: 1 }, { A: 'x'.repeat(100_000) }].map(async (properties) => {
          const table = await withTable();
          return client.post(`/${table}`, { ...properties, PartitionKey: 'p', RowKey: 'r' });
        }),
      );

      expect(answers.map(({ status }) => status)).toEqual([201, 201, 201]);
    });
  },
  { cosmos: true },
);
