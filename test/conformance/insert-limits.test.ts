import { expect, it } from 'vitest';
import { expectTableError } from '../support/answers/expect-error.js';
import { describeService } from '../support/servers/describe-service.js';

const keys = { PartitionKey: 'p', RowKey: 'r' };

/** Returns properties P0, P1, … with the same value. */
const properties = (count: number, value: unknown = 1) =>
  Object.fromEntries(Array.from({ length: count }, (_, at) => [`P${at}`, value]));

const binary = (bytes: number) => ({ 'B@odata.type': 'Edm.Binary', B: Buffer.alloc(bytes).toString('base64') });

describeService('Limits of an entity', ({ client, withTable }) => {
  it.each([
    ['I37', 'a name of 255 letters', { ['n'.repeat(255)]: 1 }],
    ['I38', '252 properties', properties(252)],
    ['I38', '252 properties and a null', { ...properties(252), N: null }],
    ['I39', 'a string of 32 768 units', { S: 's'.repeat(32_768) }],
    ['I40', 'a binary of 65 536 bytes', binary(65_536)],
  ])('%s takes %s', async (_no, _what, held) => {
    const table = await withTable();

    const answer = await client.post(`/${table}`, { ...keys, ...held });

    expect(answer.status).toBe(201);
  });

  it.each([
    [
      'I37',
      'a name of 256 letters',
      { ['n'.repeat(256)]: 1 },
      'PropertyNameTooLong',
      'The property name exceeds the maximum allowed length (255).',
    ],
    [
      'I38',
      '253 properties',
      properties(253),
      'TooManyProperties',
      'The entity contains more properties than allowed. Each entity can include up to 252 properties to store data. ' +
        'Each entity also has 3 system properties.',
    ],
    ['I39', 'a string of 32 769 units', { S: 's'.repeat(32_769) }, 'PropertyValueTooLarge', valueTooLarge()],
    ['I40', 'a binary of 65 537 bytes', binary(65_537), 'PropertyValueTooLarge', valueTooLarge()],
    ['data model 2', 'a key of 513 units', { RowKey: 'k'.repeat(513) }, 'PropertyValueTooLarge', valueTooLarge()],
    ['I41', 'one string of 1 MiB', { S: 's'.repeat(524_288) }, 'EntityTooLarge', entityTooLarge()],
    ['I41', 'small strings of more than 1 MiB', properties(20, 's'.repeat(30_000)), 'EntityTooLarge', entityTooLarge()],
  ])('%s rejects %s', async (_no, _what, held, code, message) => {
    const table = await withTable();

    const answer = await client.post(`/${table}`, { ...keys, ...held }, { prefer: 'return-no-content' });

    expectTableError(answer, 400, code, { set: 'B2', message });
  });

  it.each(['123', 'a-b', 'a b', '1a', 'a.b', '', "a'b", 'a/b'])('I35 and I36 reject the name %j', async (name) => {
    const table = await withTable();

    const answer = await client.post(`/${table}`, { ...keys, [name]: 1 });

    expectTableError(answer, 400, 'PropertyNameInvalid', { set: 'B1', message: 'The property name is invalid.' });
  });

  it('I42 rejects a body of more than 4 MiB, and serves the next request', async () => {
    const table = await withTable();

    const answer = await client.post(`/${table}`, `{"S":"${'s'.repeat(4 * 1024 * 1024)}"}`);

    expectTableError(answer, 413, 'RequestBodyTooLarge', {
      ...{ set: 'A3', type: 'application/json' },
      message: 'The request body is too large and exceeds the maximum permissible limit.',
    });
    expect((await client.get('/Tables')).status).toBe(200);
  });

  it.each(['{', '[]', '', '"x"', '{"a":1,}', '{"PartitionKey":"p"} {}', "{'a':1}", '{"a":01}', '{"a":"\\x"}'])(
    'I43 rejects the body %j',
    async (body) => {
      const table = await withTable();

      const answer = await client.post(`/${table}`, body);

      expectTableError(answer, 400, 'InvalidInput', { set: 'B1' });
    },
  );

  it('I43 rejects a body that is not UTF-8', async () => {
    const table = await withTable();

    const answer = await client.post(`/${table}`, Buffer.from('{"PartitionKey":"\xff","RowKey":"r"}', 'latin1'));

    expectTableError(answer, 400, 'InvalidInput', { set: 'B1' });
  });

  it.each(['"a":1,"a":1', '"a":1,"b":2,"a":"x"', '"a":1,"\\u0061":2', '"PartitionKey":"q"'])(
    'I44 rejects a duplicate name: %s',
    async (members) => {
      const table = await withTable();

      const answer = await client.post(`/${table}`, `{"PartitionKey":"p","RowKey":"r",${members}}`);

      expectTableError(answer, 400, 'DuplicatePropertiesSpecified', {
        set: 'B1',
        message: 'A property is specified more than one time.',
      });
    },
  );

  it('rejects a body of another type', async () => {
    const table = await withTable();

    const answer = await client.post(`/${table}`, keys, { headers: { 'Content-Type': 'text/plain' } });

    expectTableError(answer, 415, 'MediaTypeNotSupported', { set: 'B1' });
  });

  it('accepts a JSON body with any metadata level', async () => {
    const table = await withTable();

    const answer = await client.post(`/${table}`, keys, {
      headers: { 'Content-Type': 'application/json;odata=nometadata' },
    });

    expect(answer.status).toBe(201);
  });
});

function valueTooLarge(): string {
  return (
    'The property value exceeds the maximum allowed size (64KB). If the property value is a string, ' +
    'it is UTF-16 encoded and the maximum number of characters should be 32K or less.'
  );
}

function entityTooLarge(): string {
  return 'The entity is larger than the maximum allowed size (1MB).';
}
