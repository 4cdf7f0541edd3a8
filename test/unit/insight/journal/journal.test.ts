import { describe, expect, it } from 'vitest';
import { Journal } from '../../../../src/insight/journal/journal.js';
import { followEntries, listEntries, type RequestWish } from '../../../../src/insight/journal/select-entries.js';
import { writeCurl, writeEntry } from '../../../../src/insight/journal/write-entry.js';
import { ids, recordOf } from '../../../support/measures/journal-records.js';

function journalOf(...records: Parameters<typeof recordOf>[0][]): Journal {
  const journal = new Journal(100, () => 0, undefined, ids);
  for (const record of records) journal.observe(recordOf(record));
  return journal;
}

/** Returns a wish that is written as a query. */
function wishOf(query: string): RequestWish {
  const values = [...new URLSearchParams(query)];
  return Object.fromEntries(values.map(([name, text]) => [name, /^\d+$/.test(text) ? Number(text) : text]));
}

async function select(journal: Journal, query: string): Promise<readonly number[]> {
  const found: number[] = [];
  for await (const { Seq } of listEntries(journal, wishOf(query))) found.push(Seq);
  return found;
}

describe('A journal', () => {
  it('keeps the last requests, and no more than its capacity', () => {
    const journal = new Journal(3, Date.now, undefined, ids);
    for (let at = 1; at <= 5; at++) journal.observe(recordOf({ requestNumber: at }));

    expect([journal.first, journal.next]).toEqual([3, 6]);
    expect([1, 2, 3, 4, 5, 6].map((seq) => journal.read(seq)?.requestId)).toEqual([
      undefined,
      undefined,
      ids.write(3),
      ids.write(4),
      ids.write(5),
      undefined,
    ]);
  });

  it('finds the newest request by either of its ids', () => {
    const headers = { 'x-ms-client-request-id': 'own' };
    const journal = journalOf({ requestNumber: 1, headers }, { requestNumber: 2, headers }, { requestNumber: 3 });

    expect(journal.find(ids.write(1))?.seq).toBe(1);
    expect(journal.find('own')?.seq).toBe(2);
    expect(journal.find('other')).toBeUndefined();
  });

  it('has the class and the shape of a query, and the class of a request for one entity', () => {
    const journal = journalOf(
      { url: "/devstoreaccount1/People()?$filter=PartitionKey%20eq%20'p'&$select=Name&$top=5" },
      { url: "/devstoreaccount1/People(PartitionKey='p',RowKey='r')", operation: 'Get Entity' },
      { url: '/devstoreaccount1/Tables', operation: 'Query Tables' },
    );

    expect(journal.read(1)).toMatchObject({
      query: { class: 'partition-scan' },
      shape: 'people where PartitionKey eq ? select Name top',
    });
    expect(journal.read(2)).toMatchObject({
      query: { class: 'point' },
      resource: { kind: 'entity', table: 'People', key: { partitionKey: 'p', rowKey: 'r' } },
    });
    expect(journal.read(3)?.query).toBeUndefined();
  });

  it('knows the table of a query whose filter is rejected', async () => {
    const journal = journalOf(
      { url: '/devstoreaccount1/People?$filter=A%20=%203', status: 400 },
      { url: '/devstoreaccount1/Orders?$filter=A%20=%203', status: 400 },
    );

    expect(journal.read(1)).toMatchObject({ resource: { kind: 'entities', table: 'People' }, filter: 'A = 3' });
    expect(await select(journal, 'table=people')).toEqual([1]);
  });

  it.each(['/devstoreaccount1/Pe%zzple', '/devstoreaccount1/People?$filter=A%20=', '*', ''])(
    'keeps a request whose target cannot be read: %j',
    (url) => {
      expect(journalOf({ url, status: 400 }).read(1)).toMatchObject({ target: url, status: 400 });
    },
  );

  it('gives each request the last mark before it', () => {
    const journal = new Journal(10, Date.now, undefined, ids);
    journal.observe(recordOf());
    expect(journal.mark('first test').next).toBe(2);
    journal.observe(recordOf());
    journal.mark('x'.repeat(1000));
    journal.observe(recordOf());

    expect([1, 2, 3].map((seq) => journal.read(seq)?.mark)).toEqual([undefined, 'first test', 'x'.repeat(256)]);
  });

  it('keeps no body of an answer that is a key', () => {
    const journal = new Journal(10, Date.now, undefined, ids);
    for (const operation of ['Get User Delegation Key', 'Get Entity']) {
      const bodies = { request: undefined, answer: Buffer.from('an answer'), requestHeaders: {}, answerHeaders: [] };
      journal.observe({ ...recordOf({ operation }), bodies });
    }
    expect([1, 2].map((seq) => journal.readBodies(seq)?.answer)).toEqual([undefined, 'an answer']);
  });

  it('keeps the beginning of a very long target', () => {
    const journal = journalOf({ url: `/devstoreaccount1/T?${'x'.repeat(50_000)}` });
    expect(journal.read(1)?.target.length).toBe(2048);
  });
});

describe('A selection', () => {
  const journal = journalOf(
    { url: '/devstoreaccount1/People', status: 200 },
    { url: '/devstoreaccount1/Missing', status: 404, code: 'TableNotFound', operation: 'Query Entities' },
    { url: "/devstoreaccount1/People(PartitionKey='p',RowKey='r')", operation: 'Delete Entity', status: 204 },
    { url: '/devstoreaccount1/People?sv=2019-02-02&sig=c2VjcmV0', headers: { 'user-agent': 'Own/1.0' }, status: 403 },
  );

  it.each([
    ['', [1, 2, 3, 4]],
    ['limit=2', [3, 4]],
    ['after=1&before=4', [2, 3]],
    ['status=404', [2]],
    ['status=4xx', [2, 4]],
    ['class=table-scan', [1, 2, 4]],
    ['class=point', [3]],
    ['op=DeleteEntity', [3]],
    ['op=delete entity', [3]],
    ['table=PEOPLE', [1, 3, 4]],
    ['client=own', [4]],
    ['client=127.0.0.1', [1, 2, 3, 4]],
    ['text=tablenotfound', [2]],
    ['text=c2Vj', []],
    ['status=4xx&table=people', [4]],
    ['mark=x', []],
  ])('%s', async (query, found) => {
    expect(await select(journal, query)).toEqual(found);
  });

  it.each(['sig', '%73ig', 's%2569g'])(
    'does not find the signature of a request whose parameter is %s',
    async (name) => {
      const signed = journalOf({ url: `/devstoreaccount1/People?sv=2019-02-02&${name}=c2VjcmV0` });
      expect(await select(signed, 'text=c2Vj')).toEqual([]);
      expect(await select(signed, 'text=people')).toEqual([1]);
    },
  );

  it('leaves other requests their turn while it reads a journal of long filters', async () => {
    const long = Array.from({ length: 60 }, (_, at) => `A%20eq%20${at}`).join('%20or%20');
    const full = new Journal(2000, Date.now, undefined, ids);
    for (let at = 0; at < 2000; at++)
      full.observe(recordOf({ url: `/devstoreaccount1/T?$filter=B%20eq%20${at}%20or%20${long}` }));
    let isDone = false;
    let turns = 0;
    const count = () => {
      turns++;
      if (!isDone) setImmediate(count);
    };
    setImmediate(count);
    expect(await select(full, 'class=point')).toEqual([]);
    isDone = true;
    expect(turns).toBeGreaterThan(1);
  });
});

describe('An entry', () => {
  it('is written with the field names of the service', () => {
    const journal = journalOf({
      url: '/devstoreaccount1/People',
      headers: {
        authorization: 'SharedKey devstoreaccount1:c2VjcmV0',
        'user-agent': 'Own/1.0',
        'x-ms-version': '2019-02-02',
      },
    });
    const entry = journal.read(1);
    expect(entry && writeEntry(entry)).toMatchObject({
      TimeGenerated: '1970-01-01T00:00:00.000Z',
      OperationName: 'QueryEntities',
      StatusCode: '200',
      StatusText: 'Success',
      DurationMs: 1.5,
      Uri: 'http://localhost:10002/devstoreaccount1/People',
      AccountName: 'devstoreaccount1',
      ObjectKey: '/devstoreaccount1/People',
      AuthenticationType: 'AccountKey',
      CorrelationId: ids.write(1),
      UserAgentHeader: 'Own/1.0',
    });
  });

  it.each([
    [{}, 'Anonymous'],
    [{ headers: { authorization: 'SharedKeyLite a:b' } }, 'AccountKey'],
    [{ headers: { authorization: 'Bearer b' } }, 'OAuth'],
    [{ headers: { authorization: 'Nonsense' } }, 'Anonymous'],
    [{ url: '/devstoreaccount1/People?sv=1&sig=x' }, 'SAS'],
    [{ url: '/devstoreaccount1/People?%73i%67=x&sv=1' }, 'SAS'],
    [{ url: '/devstoreaccount1/People?$filter=A%20eq%20%27sig=%27' }, 'Anonymous'],
  ])('of %j has the credentials %s', (record, kind) => {
    const entry = journalOf(record).read(1);
    expect(entry && writeEntry(entry).AuthenticationType).toBe(kind);
  });

  it('is written as a command line that a shell takes apart as it was meant', () => {
    const url = "/devstoreaccount1/O'Hara?$filter=A%20eq%20'x'&sv=2019-02-02&tn=p&sig=c2VjcmV0";
    const headers = { accept: "it's/*", 'content-type': 'application/atom+xml' };
    const entry = journalOf({ url, method: 'PUT', requestBytes: 5, headers }).read(1);
    expect(entry && writeCurl(entry)).toBe(
      String.raw`curl --request PUT 'http://localhost:10002/devstoreaccount1/O'\''Hara?$filter=A%20eq%20'\''x'\'''"&$SAS" ` +
        String.raw`--header 'Accept: it'\''s/*' --header 'Content-Type: application/atom+xml' --data-binary @body`,
    );
  });

  it('is written as a command line with the kept headers that matter, and the body if all of it is kept', () => {
    const entry = journalOf({ method: 'PUT', requestBytes: 5 }).read(1);
    const requestHeaders = ['if-match', 'user-agent'].map((name) => ({ name, value: '*' }));
    expect(entry && writeCurl(entry, { request: "@it's", requestHeaders })).toMatch(
      / --header 'Accept:' --header 'if-match: \*' --data-raw '@it'\\''s'$/,
    );
    expect(entry && writeCurl(entry, { request: '@it', requestHeaders })).toMatch(/ --data-binary @body$/);
  });

  it('is written as a command line without an Accept if it had none', () => {
    const entry = journalOf({}).read(1);
    expect(entry && writeCurl(entry)).toMatch(/ --header 'Accept:'$/);
  });
});

describe('A followed journal', () => {
  const linesOf = async (stream: AsyncIterable<Buffer>) => {
    let text = '';
    for await (const part of stream) text += part;
    return text
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { Seq?: number; Dropped?: number })
      .map(({ Seq, Dropped }) => Seq ?? `dropped ${Dropped}`);
  };
  const all = {};

  it('has the entries that are kept, then each new one, and ends when the journal is closed', async () => {
    const journal = journalOf({}, {});
    const lines = linesOf(followEntries(journal, all));
    journal.observe(recordOf());
    await Promise.resolve();
    journal.observe(recordOf());
    journal.close();
    expect(await lines).toEqual([1, 2, 3, 4]);
  });

  it('has only the entries of the selection', async () => {
    const journal = journalOf({ status: 404 }, {}, { status: 409 });
    const lines = linesOf(followEntries(journal, { status: '4xx' }));
    journal.close();
    expect(await lines).toEqual([1, 3]);
  });

  it('reports to a slow client how many entries it missed', async () => {
    const journal = new Journal(200, Date.now, undefined, ids);
    journal.observe(recordOf());
    const stream = followEntries(journal, all);
    // The stream reads ahead until its buffer is full; the ring then continues alone.
    stream.read(0);
    for (let at = 0; at < 1000; at++) journal.observe(recordOf());
    journal.close();
    const found = await linesOf(stream);
    const dropped = found.filter((line) => typeof line === 'string');
    expect(dropped).toHaveLength(1);
    expect(found.length - 1 + Number(String(dropped[0]).split(' ')[1])).toBe(1001);
    expect(found.at(-1)).toBe(1001);
  });

  it('costs nothing after its client has left', () => {
    const journal = journalOf({});
    const stream = followEntries(journal, all);
    stream.read(0);
    stream.destroy();
    expect(() => journal.observe(recordOf())).not.toThrow();
  });
});
