import { describe, expect, it } from 'vitest';
import { parseResource } from '../../../src/address/parse-address.js';
import { rejectionOf } from '../../support/answers/rejection-of.js';

const entity = (partitionKey: string, rowKey: string) => ({
  kind: 'entity',
  table: 'T',
  key: { partitionKey, rowKey },
});

describe('parseResource', () => {
  it.each([
    ['', { kind: 'service' }],
    ['$batch', { kind: 'batch' }],
    ['%24batch', { kind: 'batch' }],
    ['$metadata', { kind: 'metadata' }],
    ['Tables', { kind: 'tables' }],
    ['tables', { kind: 'tables' }],
    ['Tables()', { kind: 'tables' }],
    ["Tables('MyTable')", { kind: 'table', table: 'MyTable' }],
    ["Tables(TableName='MyTable')", { kind: 'table', table: 'MyTable' }],
    ['Tables(%27MyTable%27)', { kind: 'table', table: 'MyTable' }],
    ['MyTable', { kind: 'entities', table: 'MyTable' }],
    ['MyTable()', { kind: 'entities', table: 'MyTable' }],
    ['MyTable%28%29', { kind: 'entities', table: 'MyTable' }],
    ['TablesOfMine', { kind: 'entities', table: 'TablesOfMine' }],
  ])('parses the resource %s', (path, resource) => {
    expect(parseResource(path)).toEqual(resource);
  });

  it.each([
    ["T(PartitionKey='p',RowKey='r')", 'p', 'r'],
    ["T(RowKey='r',PartitionKey='p')", 'p', 'r'],
    ["T( PartitionKey = 'p' , RowKey = 'r' )", 'p', 'r'],
    ["T(PartitionKey='',RowKey='')", '', ''],
    ['T%28PartitionKey%3D%27p%27%2CRowKey%3D%27r%27%29', 'p', 'r'],
    ['T%28PartitionKey=%27p%27,RowKey=%27r%27%29', 'p', 'r'],
    ["T(PartitionKey='a%20b',RowKey='a+b')", 'a b', 'a+b'],
    ["T(PartitionKey='%2B%26%25',RowKey='%E4%BD%A0')", '+&%', '你'],
    ["T(PartitionKey='it''s',RowKey='''')", "it's", "'"],
    ["T(PartitionKey='a%27%27%27%27b',RowKey='r')", "a''b", 'r'],
    ["T(PartitionKey='a''''''''b',RowKey='r')", "a''''b", 'r'],
    ["T(PartitionKey=''',RowKey=''',RowKey='x')", "',RowKey='", 'x'],
    ["T(PartitionKey='(a,b)=)',RowKey='RowKey=')", '(a,b)=)', 'RowKey='],
    ["T(PartitionKey='a%0Ab',RowKey='%3F%23')", 'a\nb', '?#'],
  ])('parses the entity %s', (path, partitionKey, rowKey) => {
    expect(parseResource(path)).toEqual(entity(partitionKey, rowKey));
  });

  it.each([
    ['Tables/', { kind: 'tables' }],
    ['Tables()/', { kind: 'tables' }],
    ["Tables('MyTable')/", { kind: 'table', table: 'MyTable' }],
    ['MyTable/', { kind: 'entities', table: 'MyTable' }],
    ['MyTable()/', { kind: 'entities', table: 'MyTable' }],
    ['MyTable//', { kind: 'entities', table: 'MyTable' }],
    ['$batch/', { kind: 'batch' }],
    ["T(PartitionKey='p',RowKey='r')/", entity('p', 'r')],
  ])('ignores the slashes at the end of %s', (path, resource) => {
    expect(parseResource(path)).toEqual(resource);
  });

  it('parses a path with 60,000 slashes in linear time', () => {
    expect(parseResource(`T${'/'.repeat(60_000)}`)).toEqual({ kind: 'entities', table: 'T' });
    expect(parseResource(`T${'/'.repeat(60_000)}x`)).toEqual({ kind: 'nested', segments: ['T', 'x'] });
  });

  it.each([
    ["T(PartitionKey='100%',RowKey='r')", '100%', 'r'],
    ["T(PartitionKey='p',RowKey='%zz')", 'p', '%zz'],
    ["T(PartitionKey='%2',RowKey='%41')", '%2', 'A'],
    ['T%28PartitionKey=%27100%%27,RowKey=%27r%27%29', '100%', 'r'],
  ])('rejects the bare percent sign in %s, except in a batch', (path, partitionKey, rowKey) => {
    expect(rejectionOf(() => parseResource(path))).toEqual({
      code: 'InvalidInput',
      message: 'Bad Request - Error in query syntax.',
    });
    expect(parseResource(path, true)).toEqual(entity(partitionKey, rowKey));
  });

  it.each(['\u212aTables', 'Table\u017f', '$batc\u212a'])('folds only the letters A to Z: %s is a table', (path) => {
    expect(parseResource(path)).toEqual({ kind: 'entities', table: path });
  });

  it.each([
    ["PartitionKey='one',RowKey='two'three'", 'There is an unterminated string literal at position 37 in'],
    ["PartitionKey='p',RowKey='r", 'There is an unterminated string literal at position 26 in'],
    ["PartitionKey='p',RowKey='it''", 'There is an unterminated string literal at position 29 in'],
    [
      `PartitionKey='"A'aaa"_bbbb3',RowKey='"A'aaa"_bbbb3'`,
      `Syntax error: character '"' is not valid at position 20 in`,
    ],
    ["PartitionKey='p';RowKey='r'", "Syntax error: character ';' is not valid at position 16 in"],
    ["PartitionKey='p',RowKey='r'\u{1f600}", "Syntax error: character '\u{1f600}' is not valid at position 27 in"],
  ])('reads the keys %s in the tokens of a filter [operations 1.2]', (keys, fault) => {
    const path = `T(${keys})`;
    for (const spelling of [path, encodeURIComponent(path)]) {
      expect(rejectionOf(() => parseResource(spelling))).toEqual({
        code: 'InvalidInput',
        message: `${fault} '${keys}'.`,
      });
    }
  });

  it.each(["Tables('it's')", "T/T('it's')", "T('it's')"])('does so in %s', (path) => {
    const [, last = path] = path.split('/');
    expect(rejectionOf(() => parseResource(last)).message).toBe(
      "There is an unterminated string literal at position 6 in ''it's''.",
    );
  });

  it.each([["T(PartitionKey='p'RowKey='r')"], ["T(\u00a0RowKey='r'\tPartitionKey='p')"]])(
    'reads pairs without a comma, and any blanks: %j',
    (path) => {
      expect(parseResource(path)).toEqual(entity('p', 'r'));
    },
  );

  it.each([
    "T(PartitionKey='a%2Fb',RowKey='r')",
    "T(PartitionKey='a%5cb',RowKey='r')",
    "T(PartitionKey='a\\b',RowKey='r')",
    "T(PartitionKey='p')",
    "T('p')",
    "T(PartitionKey='p',RowKey=r)",
    "T(PartitionKey='p',RowKey='r'",
    "T(PartitionKey='p',RowKey='r') ",
    "T(PartitionKey='p',RowKey='r')x",
    "T(partitionKey='p',rowKey='r')",
    "T(PartitionKey='p',PartitionKey='q')",
    'T(',
    "Tables('a'b)",
    "T(PartitionKey='O'Hara',RowKey='r')",
    "T(PartitionKey='p',RowKey='it's o'clock')",
    "T(PartitionKey='p',RowKey='r',)",
    "T(PartitionKey='p',RowKey='r',Other='x')",
    "T(PartitionKey='p',RowKey=guid'r')",
    "T(PartitionKey='p',RowKey='r'3='x')",
    "T(PartitionKey='p','r')",
    'T)',
    "Tables('a','b')",
    "Tables(Name='a')",
  ])('rejects %s with InvalidInput', (path) => {
    expect(rejectionOf(() => parseResource(path))).toEqual({
      code: 'InvalidInput',
      message: 'Bad Request - Error in query syntax.',
    });
  });

  it.each([
    ['/Tables', 'InvalidUri'],
    ['()', 'ResourceNotFound'],
    ['(retry)', 'ResourceNotFound'],
    ['T%', 'RequestUrlFailedToParse'],
    ['T%zz()', 'RequestUrlFailedToParse'],
    ["T(PartitionKey='%ff',RowKey='r')", 'RequestUrlFailedToParse'],
  ])('rejects %s with %s', (path, code) => {
    expect(rejectionOf(() => parseResource(path)).code).toBe(code);
  });

  it.each([
    ['T/x', 'T', 'x'],
    ['T//x/', 'T', 'x'],
    ['T%2Fx', 'T', 'x'],
    ["T%2f%2F(PartitionKey='p',RowKey='r')", 'T', "(PartitionKey='p',RowKey='r')"],
    ["T/x%28'a%20b'%29", 'T', "x('a b')"],
    ['Tables/more', 'Tables', 'more'],
    ['T()/T()', 'T()', 'T()'],
    ['T/x/y', 'T', 'x', 'y'],
    ["T(PartitionKey='a/b',RowKey='r')", "T(PartitionKey='a", "b',RowKey='r')"],
  ])('splits %s at its slashes, bare or encoded', (path, ...segments) => {
    expect(parseResource(path)).toEqual({ kind: 'nested', segments });
  });

  it.each(['T%2F', 'T%2F%2F', 'T/%2f'])('ignores the encoded slashes at the end of %s', (path) => {
    expect(parseResource(path)).toEqual({ kind: 'entities', table: 'T' });
  });

  it('parses keys as long as a URL in linear time', () => {
    const long = "''".repeat(10_000);
    expect(parseResource(`T(PartitionKey='${long}',RowKey='r')`)).toEqual(entity("'".repeat(10_000), 'r'));
    for (const keys of ["'x".repeat(10_000), "''".repeat(10_000), "'x''".repeat(10_000)]) {
      expect(rejectionOf(() => parseResource(`T(PartitionKey='${keys})`)).code).toBe('InvalidInput');
    }
  });
});
