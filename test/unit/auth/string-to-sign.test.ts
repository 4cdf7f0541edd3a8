import { describe, expect, it } from 'vitest';
import { Query } from '../../../src/address/query.js';
import { SigningKey } from '../../../src/auth/signing-key.js';
import { accountStringToSign, readSignatureFields, tableStringToSign } from '../../../src/auth/string-to-sign.js';
import { developmentAccount } from '../../../src/protocol/access/accounts.js';
import { type AccessFields, textToSign, writeAccess } from '../../support/signatures/sign-access.js';

const { name, keys } = developmentAccount;
const key = new SigningKey(keys[0] ?? '');
const fieldsOf = (fields: AccessFields) => readSignatureFields(new Query(writeAccess({ ...fields })));
const start = '2026-11-21T00:00:00Z';
const end = '2026-11-22T00:00:00Z';
const everything = { sp: 'rwdlacu', ss: 't', srt: 'sco', st: start, se: end, spr: 'https,http' };

/** Fields, text and signature of the published vectors, signed with the well-known key. Source: auth 2.3. */
const vectors: readonly (readonly [fields: AccessFields, text: string, signature: string])[] = [
  [
    { ...everything, sv: '2019-02-02' },
    `devstoreaccount1\nrwdlacu\nt\nsco\n${start}\n${end}\n\nhttps,http\n2019-02-02\n`,
    'z1VLODiq3uQE12Gpb/R2OvnAma3isDbopzSyAddJ2GE=',
  ],
  [
    { ...everything, sv: '2020-12-06' },
    `devstoreaccount1\nrwdlacu\nt\nsco\n${start}\n${end}\n\nhttps,http\n2020-12-06\n\n`,
    'IS8rz0UkdDuvu5rw0QqmjO1fpwCQt4au8t8kyZEzvDQ=',
  ],
  [
    { tn: 'mytable', sp: 'raud', st: start, se: end, spr: 'https,http', sv: '2019-02-02' },
    `raud\n${start}\n${end}\n/table/devstoreaccount1/mytable\n\n\nhttps,http\n2019-02-02\n\n\n\n`,
    'dzQNwWT/ISLCs/y8LwZuDl4gUIxXMIW20Gv94pwxV9E=',
  ],
  [
    { tn: 'MyTable', sp: 'r', se: end, sv: '2019-02-02', spk: 'p1', srk: 'r1', epk: 'p2', erk: 'r9' },
    `r\n\n${end}\n/table/devstoreaccount1/mytable\n\n\n\n2019-02-02\np1\nr1\np2\nr9`,
    'ySslovIP9Asf+Qqbi46TZyosia/AfuJeUIEr4IRSrEI=',
  ],
  [
    { tn: 'mytable', sp: 'r', se: end, sv: '2013-08-15' },
    `r\n\n${end}\n/devstoreaccount1/mytable\n\n2013-08-15\n\n\n\n`,
    'L5sX4N5F4tFUqahLnCnS0otUWg1+F5l/YNMwFtlYppE=',
  ],
];

describe('The text that a shared access signature signs', () => {
  it.each(vectors)('A30 matches the published vectors: %o', (fields, text, signature) => {
    const read = fieldsOf(fields);
    const signed = fields.tn === undefined ? accountStringToSign(read, name) : tableStringToSign(read, name);

    expect(signed).toBe(text);
    expect(key.sign(signed).toString('base64')).toBe(signature);
  });

  it.each(vectors)('is the same in the signer of the tests: %o', (fields, text) => {
    expect(textToSign(fields, name)).toBe(text);
  });

  it.each([
    ['2012-02-12', ['sp', 'st', 'se', '/devstoreaccount1/table', 'si', '2012-02-12', 'spk', 'srk', 'epk', 'erk']],
    ['2013-08-15', ['sp', 'st', 'se', '/devstoreaccount1/table', 'si', '2013-08-15', 'spk', 'srk', 'epk', 'erk']],
    ['2014-02-14', ['sp', 'st', 'se', '/devstoreaccount1/table', 'si', '2014-02-14', 'spk', 'srk', 'epk', 'erk']],
    ['2015-02-21', ['sp', 'st', 'se', '/table/devstoreaccount1/table', 'si', '2015-02-21', 'spk', 'srk', 'epk', 'erk']],
    [
      '2015-04-05',
      ['sp', 'st', 'se', '/table/devstoreaccount1/table', 'si', 'sip', 'spr', '2015-04-05', 'spk', 'srk', 'epk', 'erk'],
    ],
    [
      '2020-12-06',
      ['sp', 'st', 'se', '/table/devstoreaccount1/table', 'si', 'sip', 'spr', '2020-12-06', 'spk', 'srk', 'epk', 'erk'],
    ],
  ])('has for a table in version %s the lines %j', (sv, lines) => {
    const names = ['sp', 'st', 'se', 'si', 'sip', 'spr', 'spk', 'srk', 'epk', 'erk'];
    const fields = Object.fromEntries(names.map((each) => [each, each]));

    expect(tableStringToSign(fieldsOf({ ...fields, sv, tn: 'Table', ses: 'scope' }), name)).toBe(lines.join('\n'));
  });

  it.each([
    ['2015-04-05', ''],
    ['2020-10-02', ''],
    ['2020-12-06', 'scope\n'],
    ['2021-08-06', 'scope\n'],
  ])('ends for the account in version %s with %j', (sv, end) => {
    const fields = fieldsOf({
      sv,
      sp: 'sp',
      ss: 'ss',
      srt: 'srt',
      st: 'st',
      se: 'se',
      sip: 'sip',
      spr: 'spr',
      ses: 'scope',
    });

    expect(accountStringToSign(fields, name)).toBe(`devstoreaccount1\nsp\nss\nsrt\nst\nse\nsip\nspr\n${sv}\n${end}`);
  });

  it('contains decoded values', () => {
    const query = new Query('sv=2019-02-02&tn=t&sp=r&se=2026-11-22T00%3A00%3A00Z&spk=a%20b&epk=%C3%BC');

    expect(tableStringToSign(readSignatureFields(query), name)).toBe(
      'r\n\n2026-11-22T00:00:00Z\n/table/devstoreaccount1/t\n\n\n\n2019-02-02\na b\n\nü\n',
    );
  });
});

describe('readSignatureFields', () => {
  it('reads blanks in sig as pluses', () => {
    expect(readSignatureFields(new Query('sig=a+b%20c%2Bd')).sig).toBe('a+b+c+d');
  });

  it('reads an absent key as an empty one, because both give the same signature', () => {
    expect(readSignatureFields(new Query('spk='))).toMatchObject({ spk: '', epk: '' });
  });

  it.each([
    ['2015-02-21', ''],
    ['2015-04-05', 'x'],
  ])('reads caller and protocol only if the version signs them: %s', (sv, read) => {
    expect(readSignatureFields(new Query(`sv=${sv}&sip=x&spr=x`))).toMatchObject({ sip: read, spr: read });
  });
});
