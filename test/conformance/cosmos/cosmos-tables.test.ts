import { expect, it } from 'vitest';
import { cosmosType, expectCosmosError } from '../../support/answers/cosmos-answers.js';
import { batchTools, insert } from '../../support/bodies/batch-tools.js';
import { withQuery } from '../../support/clients/service-client.js';
import { describeService } from '../../support/servers/describe-service.js';

// Source: cosmos 4; cosmos 5; cosmos 13.
describeService(
  'Cosmos DB, tables',
  (tools) => {
    const { client, withTable, service } = tools;
    const { sendChangeSet } = batchTools(tools);
    const namesOf = (rows: readonly object[]) => rows.map((row) => Reflect.get(row, 'TableName') as string);

    it('answers a new table with its metadata URL at the end', async () => {
      const { body } = await client.post('/Tables', { TableName: 'Created' });

      expect(body).toBe(`{"TableName":"Created","odata.metadata":"${service().base}/$metadata#Tables/@Element"}`);
    });

    it('rejects a second table of the same name', async () => {
      const table = await withTable();

      const answer = await client.post('/Tables', { TableName: table });

      expectCosmosError(answer, {
        ...{ status: 409, code: 'TableAlreadyExists', message: 'The specified table: [] already exists.' },
        ...{ form: 'short', level: 'minimalmetadata' },
      });
    });

    it('deletes a table, whose name is free at once, and finds it missing then', async () => {
      const table = await withTable();

      const first = await client.delete(`/Tables('${table}')`);
      const again = await client.post('/Tables', { TableName: table });
      const second = await client.delete(`/Tables('${table}')`);
      const third = await client.delete(`/Tables('${table}')`);

      expect([first.status, again.status, second.status]).toEqual([204, 201, 204]);
      expectCosmosError(third, {
        ...{ status: 404, code: 'ResourceNotFound', message: 'The specified resource does not exist.' },
        ...{ form: 'short', level: 'fullmetadata' },
      });
    });

    it('lists tables in an order of their own that stays the same', async () => {
      const made: string[] = [];
      for (let at = 0; at < 12; at++) made.push(await withTable());

      const first = await client.get('/Tables');
      const second = await client.get('/Tables');

      const listed = namesOf(first.rows).filter((name) => made.includes(name));
      expect([...listed].sort()).toEqual([...made].sort());
      expect(listed).not.toEqual([...made].sort());
      expect(second.body).toBe(first.body);
      expect(first.body.endsWith(`],"odata.metadata":"${service().base}/$metadata#Tables"}`)).toBe(true);
    });

    it('pages through tables by $top, and loses none', async () => {
      const made: string[] = [];
      for (let at = 0; at < 5; at++) made.push(await withTable());
      const filter = made.map((name) => `TableName eq '${name}'`).join(' or ');

      const found: string[] = [];
      let token: string | undefined;
      do {
        const next = token === undefined ? {} : { NextTableName: token };
        const page = await client.get(withQuery('/Tables', { $top: 2, $filter: filter, ...next }));
        found.push(...namesOf(page.rows));
        token = page.headers['x-ms-continuation-nexttablename'];
        if (token !== undefined) expect(token).toMatch(/^\+RID:~[A-Za-z0-9+/]{11}=#RT:1#TRC:2$/);
      } while (token !== undefined);

      expect(found.sort()).toEqual(made.sort());
    });

    it('distinguishes names that differ only in case, in addresses, filters and transactions', async () => {
      for (const TableName of ['letterCase', 'LetterCase']) await client.post('/Tables', { TableName });
      await client.post('/letterCase', { PartitionKey: 'p', RowKey: 'lower' });
      await sendChangeSet([insert('LetterCase', { PartitionKey: 'p', RowKey: 'upper' })]);
      const mixed = await sendChangeSet([
        insert('letterCase', { PartitionKey: 'p', RowKey: 'a' }),
        insert('LetterCase', { PartitionKey: 'p', RowKey: 'b' }),
      ]);

      const rows = [await client.get('/letterCase()'), await client.get('/LetterCase()')].map((list) => list.rows);
      const found = await client.get(withQuery('/Tables', { $filter: "TableName eq 'letterCase'" }));

      expect(rows.map((list) => list.map(({ RowKey }) => RowKey))).toEqual([['lower'], ['upper']]);
      expect(namesOf(found.rows)).toEqual(['letterCase']);
      expect(mixed.body).toContain('CommandsInBatchActOnDifferentPartitions');
      expect((await client.get('/LETTERCASE()')).status).toBe(404);
    });

    it('filters by TableName', async () => {
      for (const TableName of ['filterA', 'filterB', 'filterC']) await client.post('/Tables', { TableName });

      const range = await client.get(
        withQuery('/Tables', { $filter: "TableName ge 'filterA' and TableName lt 'filterC'" }),
      );

      expect(namesOf(range.rows).sort()).toEqual(['filterA', 'filterB']);
    });

    it.each(['啊齄丂狛狜', 'a', '1st', 'with-dash', 'x'.repeat(254)])('takes the name %s', async (name) => {
      const made = await client.post('/Tables', { TableName: name });
      const path = `/${encodeURIComponent(name)}`;
      const inserted = await client.post(path, { PartitionKey: 'p', RowKey: 'r' });
      const listed = await client.get(`${path}()`);
      const dropped = await client.delete(`/Tables('${encodeURIComponent(name)}')`);

      expect([made, inserted, listed, dropped].map(({ status }) => status)).toEqual([201, 201, 200, 204]);
      expect(made.headers['location']).toBe(`${service().base}/Tables('${encodeURI(name)}')`);
    });

    it('doubles a quote of a name in its address', async () => {
      const made = await client.post('/Tables', { TableName: "it's" });
      const dropped = await client.delete("/Tables('it''s')");

      expect([made.status, dropped.status]).toEqual([201, 204]);
      expect(made.headers['location']).toBe(`${service().base}/Tables('it''s')`);
    });

    it.each(['', 'a '])('rejects the name "%s"', async (name) => {
      const answer = await client.post('/Tables', { TableName: name });

      expect([answer.status, answer.headers['content-type']]).toEqual([400, cosmosType('fullmetadata')]);
    });

    // Source: cosmos 15.11.
    it.each([
      ['\\', '\\'],
      ['//', '/'],
      ['a?b', '?'],
      ['a#/', '#'],
      ['a\u0007b', '\u0007'],
    ])('names the first forbidden character of the name %j', async (name, character) => {
      const answer = await client.post('/Tables', { TableName: name });

      expectCosmosError(answer, {
        ...{ status: 400, code: 'InvalidInput', form: 'long', level: 'fullmetadata' },
        message: `The table name contains an invalid character ${character}.`,
      });
    });

    // Source: cosmos 15.11.
    it.each([
      [255, '-', 'minimalmetadata'],
      [255, 'x', 'nometadata'],
      [256, 'x', 'fullmetadata'],
      [10_000, '-', 'minimalmetadata'],
    ] as const)('rejects a name of %i characters %j', async (length, character, level) => {
      const accept = `application/json;odata=${level}`;

      const answer = await client.post('/Tables', { TableName: character.repeat(length) }, { accept });

      const id = answer.headers['x-ms-request-id'];
      const value =
        'Message: {"Errors":["The input name is invalid. Ensure to provide a unique non-empty string less than \'255\' characters.",' +
        '"The request payload is invalid. Ensure to provide a valid request payload."]}\r\n' +
        `ActivityId: ${id}, Request URI: (shortened)\nRequestID:${id}\n`;
      expect([answer.status, answer.headers['content-type']]).toEqual([400, cosmosType(level)]);
      expect(answer.json).toEqual({ 'odata.error': { code: 'BadRequest', message: { lang: 'en-us', value } } });
    });

    // Source: cosmos 15.11.
    it('does not find a table whose name is too long', async () => {
      const answer = await client.post(`/${'x'.repeat(255)}`, { PartitionKey: 'p', RowKey: 'r' });

      expectCosmosError(answer, {
        ...{ status: 404, code: 'ResourceNotFound', message: 'The specified resource does not exist.' },
        ...{ form: 'short', level: 'minimalmetadata' },
      });
    });

    // Source: cosmos 15.11.
    it.each(['%5C', '%3F', 'a%5cb', '%23', '\\'])(
      'cannot delete the table %s, whose name ends the path',
      async (name) => {
        const answer = await client.delete(`/Tables('${name}')`);

        expectCosmosError(answer, {
          ...{ status: 405, code: 'MethodNotAllowed', message: 'RequestHandler.Delete' },
          ...{ form: 'long', level: 'fullmetadata' },
        });
      },
    );
  },
  { cosmos: true },
);
