import { expect, it } from 'vitest';
import { describeService } from '../support/servers/describe-service.js';

const levels = ['minimalmetadata', 'fullmetadata', 'nometadata'] as const;

describeService('The tag of an entity in JSON', ({ client, withEntity }) => {
  /** Returns whether the entities of an insert, of a point read and of a query have a tag at this version and level. */
  const tagged = async (version: string, level: (typeof levels)[number]) => {
    const { table, path, etag } = await withEntity({ A: 'x' });
    const options = { version, accept: `application/json;odata=${level}` } as const;
    const inserted = await client.post(`/${table}`, { PartitionKey: 'q', RowKey: 'r' }, options);
    const read = await client.get(path, options);
    const selected = await client.get(`/${table}()?$select=A`, options);
    const queried = await client.get(`/${table}()`, options);
    expect(read.headers['etag']).toBe(etag);
    expect(read.json).toMatchObject({ PartitionKey: 'p', RowKey: 'r', A: 'x' });
    expect(selected.rows[0]).toMatchObject({ A: 'x' });
    return [inserted.json, read.json, ...selected.rows, ...queried.rows].map((entity) => 'odata.etag' in entity);
  };

  it.each(['2013-08-15', '2014-02-14', '2015-02-21'])('I51 is absent at minimal metadata under %s', async (version) => {
    expect(await tagged(version, 'minimalmetadata')).toEqual(Array(6).fill(false));
  });

  it.each(['2015-04-05', '2016-05-31', '2019-02-02'])('I51 is there at minimal metadata under %s', async (version) => {
    expect(await tagged(version, 'minimalmetadata')).toEqual(Array(6).fill(true));
  });

  it.each(['2014-02-14', '2019-02-02'])('depends on no version at the other levels: %s', async (version) => {
    expect(await tagged(version, 'fullmetadata')).toEqual(Array(6).fill(true));
    expect(await tagged(version, 'nometadata')).toEqual(Array(6).fill(false));
  });
});
