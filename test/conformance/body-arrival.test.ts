import { expect, it } from 'vitest';
import { RawConnection, signedHead } from '../support/clients/raw-connection.js';
import { describeService } from '../support/servers/describe-service.js';

const json = { 'Content-Type': 'application/json', Prefer: 'return-no-content' };
const bodyOf = (row: string) => JSON.stringify({ PartitionKey: 'p', RowKey: row, Text: 'é'.repeat(50) });
const lengthOf = (body: string) => String(Buffer.byteLength(body));

describeService('A body', ({ client, service }) => {
  it.each([
    ['Whole', 'in one piece with its headers', (bytes: Buffer) => [bytes]],
    ['Own', 'in a piece of its own', (bytes: Buffer) => [bytes.subarray(0, -130), bytes.subarray(-130)]],
    ['Bytes', 'in a piece for each byte', (bytes: Buffer) => Array.from(bytes, (byte) => Buffer.from([byte]))],
  ])('is read when it arrives $1, and the connection is used again', async (TableName, _, cut) => {
    await client.post('/Tables', { TableName });
    const connection = await RawConnection.open(service());
    for (const row of ['first', 'second']) {
      const body = bodyOf(row);
      const head = signedHead(service(), 'POST', `/${TableName}`, { ...json, 'Content-Length': lengthOf(body) });
      for (const piece of cut(Buffer.from(head + body))) await connection.write(piece);
      expect((await connection.answer())?.status).toBe(204);
    }
    // A rejection is known at once, and the next request begins after the body all the same.
    const body = bodyOf('first');
    const head = signedHead(service(), 'POST', `/${TableName}`, { ...json, 'Content-Length': lengthOf(body) });
    for (const piece of cut(Buffer.from(head + body))) await connection.write(piece);
    expect((await connection.answer())?.status).toBe(409);
    await connection.write(signedHead(service(), 'GET', `/${TableName}(PartitionKey='p',RowKey='second')`));
    expect((await connection.answer())?.status).toBe(200);
    connection.destroy();
  });

  it('is read when several requests arrive in one piece, and they are answered in order', async () => {
    await client.post('/Tables', { TableName: 'Several' });
    const connection = await RawConnection.open(service());
    const requests = ['a', 'b', 'a', 'c'].map((row) => {
      const body = bodyOf(row);
      return signedHead(service(), 'POST', '/Several', { ...json, 'Content-Length': lengthOf(body) }) + body;
    });
    await connection.write(requests.join(''));
    const statuses = [];
    for (const _ of requests) statuses.push((await connection.answer())?.status);
    expect(statuses).toEqual([204, 204, 409, 204]);
    connection.destroy();
  });

  it('is read when it is sent in chunks, in one piece with its headers', async () => {
    await client.post('/Tables', { TableName: 'Chunked' });
    const connection = await RawConnection.open(service());
    const body = Buffer.from(bodyOf('chunked'));
    const head = signedHead(service(), 'POST', '/Chunked', { ...json, 'Transfer-Encoding': 'chunked' });
    const [first, second] = [body.subarray(0, 20), body.subarray(20)];
    const chunk = (bytes: Buffer) => `${bytes.length.toString(16)}\r\n${bytes.toString('latin1')}\r\n`;
    await connection.write(Buffer.from(`${head}${chunk(first)}${chunk(second)}0\r\n\r\n`, 'latin1'));
    expect((await connection.answer())?.status).toBe(204);
    const { json: row } = await client.get("/Chunked(PartitionKey='p',RowKey='chunked')");
    expect(row).toMatchObject({ Text: 'é'.repeat(50) });
    connection.destroy();
  });

  it.each(['MERGE', 'PATCH'])('is empty if %s names neither a length nor chunks', async (verb) => {
    const TableName = `Empty${verb}`;
    await client.post('/Tables', { TableName });
    const connection = await RawConnection.open(service());
    const entity = `/${TableName}(PartitionKey='p',RowKey='r')`;
    const head = signedHead(service(), verb, entity, json);
    await connection.write(head + head);
    expect(await connection.answer()).toMatchObject({ status: 400 });
    expect(await connection.answer()).toMatchObject({ status: 400 });
    connection.destroy();
  });
});
