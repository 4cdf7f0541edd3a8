import { beforeAll, expect, it } from 'vitest';
import type { JsonObject } from '../support/answers/answer.js';
import { usualTexts } from '../support/answers/error-texts.js';
import { expectTableError } from '../support/answers/expect-error.js';
import { withQuery } from '../support/clients/service-client.js';
import { describeService } from '../support/servers/describe-service.js';

const typed = (name: string, type: string, value: string) => ({ [`${name}@odata.type`]: `Edm.${type}`, [name]: value });

/** The rows of the table. `full` has a property of each type. */
const rows: readonly JsonObject[] = [
  {
    PartitionKey: 'pk',
    RowKey: 'full',
    Chars: "?'/!_^#",
    age: 39,
    ratio: 3.1,
    'whole@odata.type': 'Edm.Double',
    whole: 3,
    married: true,
    retired: false,
    ...typed('large_int', 'Int64', '1099511627776'),
    ...typed('long', 'Int64', '3'),
    ...typed('birthday', 'DateTime', '1970-10-04T00:00:00Z'),
    ...typed('clsid', 'Guid', 'c9da6455-213d-42c9-9a79-3e9149a57833'),
    ...typed('binary', 'Binary', 'YmluYXJ5'),
    int: 3,
  },
  { PartitionKey: 'foo', RowKey: 'bar1', IsAdmin: 'user' },
  { PartitionKey: 'foo', RowKey: 'bar2', IsAdmin: 'admin' },
];
const all = ['bar1', 'bar2', 'full'];

describeService('$filter', ({ client, withTable }) => {
  let table = '';
  beforeAll(async () => {
    table = await withTable();
    for (const row of rows) expect((await client.post(`/${table}`, row)).status).toBe(201);
  });

  const query = (filter: string) => client.get(withQuery(`/${table}`, { $filter: filter }));

  it.each([
    ['Q12', "Chars eq '?''/!_^#'", ['full']],
    ['Q13', "PartitionKey eq 'foo'' or RowKey eq ''bar2' and IsAdmin eq 'admin'", []],
    ['Q14', "PartitionKey eq 'foo' or RowKey eq 'bar2' and IsAdmin eq 'admin'", ['bar1', 'bar2']],
    ['Q14', "(PartitionKey eq 'foo' or RowKey eq 'full') and IsAdmin eq 'admin'", ['bar2']],
    ['Q15', "birthday eq datetime'1970-10-04T00:00:00.000000Z'", ['full']],
    ['Q15', "birthday lt datetime'1970-10-04T00:00:00.0000001Z'", ['full']],
    ['Q16', 'large_int eq 1099511627776L', ['full']],
    ['Q16', 'large_int eq 1099511627776l', ['full']],
    ['Q16', 'large_int ge 2147483647', ['full']],
    ['Q16', 'ratio lt 4.1', ['full']],
    ['Q16', 'married eq true', ['full']],
    ['Q16', "clsid eq guid'c9da6455-213d-42c9-9a79-3e9149a57833'", ['full']],
    ['Q16', "clsid eq guid'C9DA6455-213D-42C9-9A79-3E9149A57833'", ['full']],
    ['Q16', "clsid eq GUID'c9da6455-213d-42c9-9a79-3e9149a57833'", ['full']],
    ['Q16', "birthday eq DateTime'1970-10-04T00:00:00.0000000Z'", ['full']],
    ['Q16', "birthday eq DATETIME'1970-10-04T02:00:00+02:00'", ['full']],
    ['Q16', "binary eq BINARY'62696e617279'", ['full']],
    ['Q16', "binary eq X'62696e617279'", ['full']],
    ['Q16', "binary eq binary'62696E617279'", ['full']],
    ['Q17', "IsAdmin ne 'admin'", ['bar1']],
    ['Q17', 'age ne 1', ['full']],
    ['Q17', 'nothing ne 1', []],
    ['Q18', 'not (nothing eq 1)', all],
    ['Q18', 'not (age eq 39)', ['bar1', 'bar2']],
    ['Q19', 'int eq 3L', []],
    ['Q19', 'int ne 3L', ['full']],
    ['Q19', 'int lt 3L', ['full']],
    ['Q19', 'int le 3L', ['full']],
    ['Q19', 'int gt 1L', []],
    ['Q19', 'int ge 3L', []],
    ['Q19', 'int eq 3.0', []],
    ['Q19', 'int ne 3.0', ['full']],
    ['Q19', "int lt 'a'", ['full']],
    ['Q20', 'long eq 3', ['full']],
    ['Q20', 'long gt 2', ['full']],
    ['Q20', 'whole eq 3', ['full']],
    ['Q20', 'whole eq 3L', ['full']],
    ['Q20', 'whole lt 3', []],
    ['Q24', '', all],
    ['Q24', 'true', all],
    ['Q24', 'false', []],
    ['Q25', 'married', ['full']],
    ['Q25', 'retired', []],
    ['Q25', 'not retired', all],
    ['Q25', 'not married', ['bar1', 'bar2']],
    ['Q25', 'nothing', []],
    ['Q25', "IsAdmin eq 'admin' or married", ['bar2', 'full']],
    ['Q32', 'PartitionKey eq 5', []],
    ['Q32', 'PartitionKey ne 5', all],
    ['query 2', '40 gt age', ['full']],
    ['query 2', "  ( ( PartitionKey eq 'pk' ) )  ", ['full']],
    ['query 12', "RowKey ge 'bar' and RowKey lt 'bas'", ['bar1', 'bar2']],
  ])('%s finds the rows for %s', async (_no, filter, found) => {
    const answer = await query(filter);

    expect(answer.status, answer.body).toBe(200);
    expect(answer.rows.map(({ RowKey }) => RowKey)).toEqual(found);
  });

  it('Q11 accepts blanks as + and as %20', async () => {
    const plus = await client.get(`/${table}?$filter=age+eq+39`);
    const encoded = await client.get(`/${table}?%24filter=age%20eq%2039`);

    expect(plus.rows).toHaveLength(1);
    expect(encoded.body).toBe(plus.body);
  });

  it.each([
    ['Q10', 'aaa bbb ccc', "Syntax error at position 7 in 'aaa bbb ccc'."],
    ['Q10', "property1 eq 1'invalid''", /^(?:Syntax error|There is an unterminated string literal) at position \d+ in/],
    ['Q21', 'age eq null', 'One of the request inputs is not valid.'],
    ['Q21', 'age ne null', 'One of the request inputs is not valid.'],
    [
      'query 5.3',
      'age lt null',
      "The operator 'LessThan' is not supported for the 'null' literal; only equality checks are supported.",
    ],
    [
      'Q26',
      "'a' and true",
      "A binary operator with incompatible types was detected. Found operand types 'Edm.String' and 'Edm.Boolean' " +
        "for operator kind 'And'.",
    ],
    [
      'Q26',
      "(PartitionKey ) and (RowKey ge '000050')",
      "A binary operator with incompatible types was detected. Found operand types 'Edm.String' and 'Edm.Boolean' " +
        "for operator kind 'And'.",
    ],
    [
      'Q26',
      'Timestamp and b',
      "A binary operator with incompatible types was detected. Found operand types 'Edm.DateTime' and '<null>' " +
        "for operator kind 'And'.",
    ],
    [
      'Q26',
      'not PartitionKey',
      "A unary operator with an incompatible type was detected. Found operand type 'Edm.String' for operator kind 'Not'.",
    ],
    ['Q26', 'PartitionKey', 'The $filter expression must evaluate to a single boolean value.'],
    ['Q26', "'a' and startswith(Chars,'x')", /incompatible types/],
    [
      'query 3',
      'large_int eq 1498179600055',
      "Unrecognized 'Edm.Int32' literal '1498179600055' at '13' in 'large_int eq 1498179600055'.",
    ],
    ['query 3', 'age gt -2147483649', "Unrecognized 'Edm.Int32' literal '-2147483649' at '7' in 'age gt -2147483649'."],
    [
      'query 3',
      'AutotaskAccountId eq 12222455555555155555',
      "Unrecognized 'Edm.Int32' literal '12222455555555155555' at '21' in 'AutotaskAccountId eq 12222455555555155555'.",
    ],
    ['Q27', 'age EQ 39', /^Syntax error/],
    ['Q27', "RowKey eq 'a' AND RowKey eq 'b'", /^Syntax error/],
    ['query 11', "RowKey eq 'open", /unterminated string literal/],
    ['query 11', '(age eq 1', /position/],
    ['query 11', 'age eq', /position/],
    ['query 11', "clsid eq guid'x'", /^Unrecognized 'Edm.Guid' literal/],
    ['query 11', "birthday eq datetime'abc'", /^Unrecognized 'Edm.DateTime' literal/],
    ['query 2', 'unheard(age)', /./],
  ])('%s rejects %s with InvalidInput', async (_no, filter, message) => {
    const answer = await query(filter);

    const set = message === usualTexts.get('InvalidInput') ? 'B2' : 'B1';
    expectTableError(answer, 400, 'InvalidInput', { set, message });
  });

  it.each([
    ['Q22', 'age eq int'],
    ['Q22', '1 eq 1'],
    ['Q23', "startswith(Chars,'x')"],
    ['Q23', "tolower(Chars) eq 'x'"],
    ['Q23', 'age add 1 eq 2'],
  ])('%s rejects %s with NotImplemented', async (_no, filter) => {
    const answer = await query(filter);

    expectTableError(answer, 501, 'NotImplemented', {
      set: 'B2',
      message: 'The requested operation is not implemented on the specified resource.',
    });
  });

  it('Q28 accepts 60 comparisons', async () => {
    const filter = Array.from({ length: 60 }, (_, at) => `age eq ${at}`).join(' or ');

    const answer = await query(filter);

    expect(answer.rows.map(({ RowKey }) => RowKey)).toEqual(['full']);
  });

  it('rejects a date before 1601 with OutOfRangeInput', async () => {
    const answer = await query("birthday gt datetime'1600-12-31T00:00:00Z'");

    expectTableError(answer, 400, 'OutOfRangeInput', { set: 'B1' });
  });
});
