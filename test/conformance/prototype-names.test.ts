import { expect, it } from 'vitest';
import { expectTableError } from '../support/answers/expect-error.js';
import { batchBoundary, read, writeBare } from '../support/bodies/batch-tools.js';
import { describeService } from '../support/servers/describe-service.js';
import { signAccess, tableAccess } from '../support/signatures/sign-access.js';

/** Names that every plain object inherits. */
const inherited = ['constructor', '__proto__', 'toString', 'hasOwnProperty', 'valueOf', '__defineGetter__'];

const xml = { accept: 'application/xml', headers: { 'Content-Type': 'application/xml' } } as const;

describeService('Names that every object inherits', ({ client, service, withTable, withEntity }) => {
  it.each(inherited)('rejects the metadata level %s of Accept and of $format like any unknown level', async (name) => {
    const { path } = await withEntity();
    const type = `application/json;odata=${name}`;

    const byAccept = await client.get(path, { accept: type });
    const byFormat = await client.get(`${path}?$format=${encodeURIComponent(type)}`);

    for (const answer of [byAccept, byFormat]) {
      expectTableError(answer, 415, 'MediaTypeNotSupported', {
        set: 'B1',
        level: 'minimalmetadata',
        message: 'None of the provided media types are supported',
      });
    }
  });

  it.each(inherited)('rejects the metadata level %s in a part of a batch', async (name) => {
    const { path } = await withEntity();
    const body = writeBare([read(path, `Accept: application/json;odata=${name}`)]);

    const answer = await client.post('/$batch', body, {
      headers: { 'Content-Type': `multipart/mixed; boundary=${batchBoundary}` },
    });

    expect(answer.status).toBe(202);
    expect(answer.body).toContain('HTTP/1.1 415 ');
    expect(answer.body).toContain('"code":"MediaTypeNotSupported"');
  });

  it.each(inherited)('rejects the XML reference &%s;', async (name) => {
    const table = await withTable();
    const list = `<SignedIdentifiers><SignedIdentifier><Id>&${name};</Id></SignedIdentifier></SignedIdentifiers>`;

    const answer = await client.put(`/${table}?comp=acl`, list, xml);

    expectTableError(answer, 400, 'InvalidXmlDocument', {
      set: 'A3',
      message: 'XML specified is not syntactically valid.',
    });
  });

  it.each(inherited)('rejects XML elements and attributes with the name %s', async (name) => {
    const table = await withTable();
    const documents = [
      `<${name}/>`,
      `<SignedIdentifiers><${name}/></SignedIdentifiers>`,
      `<SignedIdentifiers><SignedIdentifier><${name}>a</${name}></SignedIdentifier></SignedIdentifiers>`,
      `<SignedIdentifiers ${name}="a"><SignedIdentifier/></SignedIdentifiers>`,
    ];

    for (const document of documents) {
      expectTableError(await client.put(`/${table}?comp=acl`, document, xml), 400, 'InvalidXmlDocument', { set: 'A3' });
    }
    const properties = `<StorageServiceProperties><${name}/></StorageServiceProperties>`;
    const answer = await client.put('/?restype=service&comp=properties', properties, xml);
    expectTableError(answer, 400, 'InvalidXmlDocument', { set: 'A3' });
  });

  it.each(inherited)(
    'rejects %s as a method, comp, restype, type, version, scheme, origin, table or policy',
    async (name) => {
      const { table, path } = await withEntity();
      const answers = [
        await client.get(`/${table}?comp=${name}`),
        await client.get(`/?restype=service&comp=${name}`),
        await client.get(`/?restype=${name}&comp=properties`),
        await client.post(path, undefined, { headers: { 'X-HTTP-Method': name } }),
        await client.post(`/${table}`, { PartitionKey: 'p', RowKey: 'x', A: '1', 'A@odata.type': name }),
        await client.post(`/${table}`, '{}', { headers: { 'Content-Type': name } }),
        await client.post('/$batch', '--a', { headers: { 'Content-Type': `${name}; boundary=a` } }),
        await client.get(path, { accept: name }),
        await client.get(path, { version: name }),
        await client.get(path, { headers: { Authorization: `${name} a:b` }, auth: 'none' }),
        await client.send('OPTIONS', path, {
          headers: { Origin: name, 'Access-Control-Request-Method': name, 'Access-Control-Request-Headers': name },
        }),
        await client.get(`/${table}?${signAccess(tableAccess(name))}`, { auth: 'none' }),
        await client.get(`/${table}?${signAccess({ sv: '2019-02-02', tn: table, si: name })}`, { auth: 'none' }),
      ];

      expect(answers.filter(({ status }) => status < 400 || status >= 500).map(({ body }) => body)).toEqual([]);
      expect(service().takeLoggedErrors()).toEqual([]);
    },
  );

  it.each(inherited)(
    'treats %s as an ordinary name of an account, a table, an option, a property or a key',
    async (name) => {
      const { table } = await withEntity();
      const ask = (path: string) => client.get(path);

      const stranger = await client.get('/Tables', { prefix: `/${name}` });
      const missing = await ask(`/${name}`);
      const [option, filter, select, unselected] = [
        await ask(`/${table}?${name}=a`),
        await ask(`/${table}?$filter=${name} eq 'a'`.replaceAll(' ', '%20')),
        await ask(`/${table}?$select=${name}`),
        await ask(`/${table}(PartitionKey='${name}',RowKey='${name}')`),
      ];
      const header = await client.get(`/${table}`, { headers: { [name]: 'a', Prefer: name } });

      expect([stranger.status, unselected.status]).toEqual([404, 404]);
      // No table can have a name with underscores. Source: checks-order 2 step 13.
      expect(missing.status).toBe(name.includes('_') ? 400 : 404);
      expect([option.status, filter.status, select.status, header.status]).toEqual([200, 200, 200, 200]);
      expect(filter.rows).toEqual([]);
      expect(select.body).toContain(`"${name}":null`);
    },
  );

  it.each(inherited)('stores a property with the name %s, and finds it in a query', async (name) => {
    const table = await withTable();
    const body = `{"PartitionKey":"p","RowKey":"${name}","${name}@odata.type":"Edm.Int64","${name}":"7"}`;

    const inserted = await client.post(`/${table}`, body);
    const found = await client.get(`/${table}?$filter=${name}%20eq%207L&$select=${name}`);

    expect(inserted.status, inserted.body).toBe(201);
    expect(inserted.body).toContain(`"${name}@odata.type":"Edm.Int64","${name}":"7"`);
    expect(found.body).toContain(`"${name}":"7"`);
  });
});
