import { expect, it } from 'vitest';
import { expectTableError } from '../support/answers/expect-error.js';
import { describeService } from '../support/servers/describe-service.js';

/** Returns the JSON text of an entity with these members. */
const entity = (members: string) => `{"PartitionKey":"p","RowKey":"r",${members}}`;

/** Returns the text after the Timestamp in the body of an answer. */
const customMembers = (body: string) => /"Timestamp":"[^"]*",?(.*)\}$/.exec(body)?.[1];

describeService('Values of properties', ({ client, withTable }) => {
  it.each([
    ['I16', 'prints a whole double with its fraction', '"d@odata.type":"Edm.Double","d":5', '"d":5.0'],
    ['I17', 'keeps the fraction of 3.0', '"d":3.0', '"d":3.0'],
    ['I17', 'prints a number with an exponent as a double', '"d":1e3', '"d":1000.0'],
    [
      'I18',
      'prints 15 digits if they suffice',
      '"d@odata.type":"Edm.Double","d":"1.23456789012346e+24"',
      '"d":1.23456789012346E+24',
    ],
    ['I19', 'prints 17 digits if 15 do not suffice', '"n":9223372036854775808000', '"n":9.2233720368547758E+21'],
    [
      'data model 3.2',
      'prints an exponent of at least 15 or at most -5',
      '"a":1e14,"b":1e15,"c":0.0001,"d":0.00001',
      '"a":100000000000000.0,"b":1E+15,"c":0.0001,"d":1E-05',
    ],
    ['I20', 'stores an integer outside Int32 as a double', '"n":2147483648', '"n":2147483648.0'],
    ['I20', 'keeps the largest Int32', '"n":2147483647', '"n":2147483647'],
    ['I21', 'annotates NaN', '"d@odata.type":"Edm.Double","d":"NaN"', '"d@odata.type":"Edm.Double","d":"NaN"'],
    [
      'I21',
      'annotates Infinity',
      '"d@odata.type":"Edm.Double","d":"Infinity"',
      '"d@odata.type":"Edm.Double","d":"Infinity"',
    ],
    [
      'I21',
      'annotates -Infinity',
      '"d@odata.type":"Edm.Double","d":"-Infinity"',
      '"d@odata.type":"Edm.Double","d":"-Infinity"',
    ],
    [
      'I22',
      'keeps every digit of the largest Int64',
      '"l@odata.type":"Edm.Int64","l":"9223372036854775807"',
      '"l@odata.type":"Edm.Int64","l":"9223372036854775807"',
    ],
    [
      'I22',
      'keeps the sign of an Int64',
      '"l@odata.type":"Edm.Int64","l":"-1125899906842625"',
      '"l@odata.type":"Edm.Int64","l":"-1125899906842625"',
    ],
    [
      'I24',
      'never annotates Int32 and Boolean',
      '"i@odata.type":"Edm.Int32","i":7,"j":-7,"b@odata.type":"Edm.Boolean","b":true,"c":false',
      '"i":7,"j":-7,"b":true,"c":false',
    ],
    [
      'I25',
      'removes a fraction of zeros',
      '"t@odata.type":"Edm.DateTime","t":"1973-10-04T00:00:00.000000Z"',
      '"t@odata.type":"Edm.DateTime","t":"1973-10-04T00:00:00Z"',
    ],
    [
      'I25',
      'removes trailing zeros of a fraction',
      '"t@odata.type":"Edm.DateTime","t":"2011-11-04T00:05:23.283000Z"',
      '"t@odata.type":"Edm.DateTime","t":"2011-11-04T00:05:23.283Z"',
    ],
    [
      'I25',
      'keeps seven digits of a fraction',
      '"t@odata.type":"Edm.DateTime","t":"2011-11-04T00:05:06.2608595Z"',
      '"t@odata.type":"Edm.DateTime","t":"2011-11-04T00:05:06.2608595Z"',
    ],
    [
      'I26',
      'converts an offset to UTC',
      '"t@odata.type":"Edm.DateTime","t":"2013-09-18T23:46:19.5+02:00"',
      '"t@odata.type":"Edm.DateTime","t":"2013-09-18T21:46:19.5Z"',
    ],
    [
      'I29',
      'writes a guid in lower case',
      '"g@odata.type":"Edm.Guid","g":"C9DA6455-213D-42C9-9A79-3E9149A57833"',
      '"g@odata.type":"Edm.Guid","g":"c9da6455-213d-42c9-9a79-3e9149a57833"',
    ],
    ['I30', 'keeps an empty binary', '"b@odata.type":"Edm.Binary","b":""', '"b@odata.type":"Edm.Binary","b":""'],
    ['I31', 'does not store a null', '"a":null,"x@odata.type":"Edm.Int64","x":null,"z":1', '"z":1'],
    ['I32', 'ignores a Timestamp that is a bare string', '"Timestamp":"0001-01-01T00:00:00Z","z":1', '"z":1'],
    [
      'I32',
      'ignores a Timestamp with its type',
      '"Timestamp@odata.type":"Edm.DateTime","Timestamp":"2011-11-04T00:05:23Z","z":1',
      '"z":1',
    ],
    ['I32', 'ignores a Timestamp of null', '"Timestamp":null,"z":1', '"z":1'],
    ['I32', 'ignores a Timestamp that is a number', '"Timestamp":5,"z":1', '"z":1'],
    [
      'I33',
      'distinguishes names by letter case and keeps their order',
      '"ETag":1,"Etag":2,"etag":3,"Birthday":4,"birthday":5,"timestamp":6',
      '"ETag":1,"Etag":2,"etag":3,"Birthday":4,"birthday":5,"timestamp":6',
    ],
    [
      'I34',
      'accepts letters of every script in a name',
      '"啊齄丂狛狜":"x"',
      '"\\u554a\\u9f44\\u4e02\\u72db\\u72dc":"x"',
    ],
    [
      'I45',
      'finds an annotation after its property',
      '"l":"1","l@odata.type":"Edm.Int64"',
      '"l@odata.type":"Edm.Int64","l":"1"',
    ],
    ['I45', 'ignores an annotation of an annotation', '"x@odata.type@odata.type":"Edm.String","x":"y"', '"x":"y"'],
    ['I45', 'ignores annotations of the entity', '"odata.etag":"x","odata.type":"A.T","x":"y"', '"x":"y"'],
    ['data model 3.4', 'ignores an annotation without its property', '"x@odata.type":"Edm.Int64","y":1', '"y":1'],
    ['data model 3.4', 'reads a double from a string', '"d@odata.type":"Edm.Double","d":"10"', '"d":10.0'],
    ['data model 3.2', 'keeps blanks around a string, and an empty one', '"a":" x ","b":""', '"a":" x ","b":""'],
  ])('%s %s', async (_no, _law, sent, stored) => {
    const table = await withTable();

    const inserted = await client.post(`/${table}`, entity(sent));
    const read = await client.get(`/${table}(PartitionKey='p',RowKey='r')`);

    expect(customMembers(inserted.body)).toBe(stored);
    expect(read.body).toBe(inserted.body);
  });

  it.each(['__proto__', 'constructor', 'toString', 'hasOwnProperty', 'length'])(
    'accepts %s as a property name',
    async (name) => {
      const table = await withTable();

      const inserted = await client.post(`/${table}`, entity(`"${name}@odata.type":"Edm.Int64","${name}":"1","z":1`));
      const found = await client.get(`/${table}?$filter=${name}%20eq%201&$select=${name}`);

      expect(customMembers(inserted.body)).toBe(`"${name}@odata.type":"Edm.Int64","${name}":"1","z":1`);
      expect(found.body).toContain(`"${name}@odata.type":"Edm.Int64","${name}":"1"}]}`);
    },
  );

  it.each([
    ['I23', '"l@odata.type":"Edm.Int64","l":"9223372036854775808"'],
    ['I28', '"t@odata.type":"Edm.DateTime","t":"abc"'],
    ['I28', '"t@odata.type":"Edm.DateTime","t":"2011-02-30T00:00:00Z"'],
    ['I28', '"g@odata.type":"Edm.Guid","g":"x"'],
    ['I28', '"b@odata.type":"Edm.Binary","b":"%%"'],
    ['I28', '"b@odata.type":"Edm.Boolean","b":1'],
    ['I28', '"i@odata.type":"Edm.Int32","i":2147483648'],
    ['I28', '"i@odata.type":"Edm.Int32","i":"x"'],
    ['I46', '"d@odata.type":"Edm.Decimal","d":"1.5"'],
  ])('%s rejects %s, which does not fit its type', async (_no, members) => {
    const table = await withTable();

    const answer = await client.post(`/${table}`, entity(members), { prefer: 'return-no-content' });

    expectTableError(answer, 400, 'InvalidInput', {
      set: 'B1',
      message: 'An error occurred while processing this request.',
    });
  });

  it.each(['"o":{}', '"o":{"a":1}', '"a":[]', '"a":[1,2]'])(
    'I46 rejects %s, which is not a property value',
    async (members) => {
      const table = await withTable();

      const answer = await client.post(`/${table}`, entity(members));

      expectTableError(answer, 400, 'InvalidInput', { set: 'B1' });
    },
  );

  it('I27 rejects a date before 1601, and names the property', async () => {
    const table = await withTable();

    const answer = await client.post(`/${table}`, entity('"t@odata.type":"Edm.DateTime","t":"1600-12-31T00:00:00Z"'));

    expectTableError(answer, 400, 'OutOfRangeInput', {
      set: 'B1',
      message: "The 't' parameter of value '12/31/1600 00:00:00' is out of range.",
    });
  });
});
