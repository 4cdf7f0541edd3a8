import { withQuery } from '../clients/service-client.js';

/** Length of a filter that almost fills the longest accepted request line. Unit: characters. */
const filterLengthMax = 28_000;

/** Returns filters that are as expensive as possible for one request. Each is well-formed or nearly so. */
export function hostileFilters(): readonly (readonly [what: string, filter: string])[] {
  const joined = (word: string, term: (at: number) => string) => {
    const terms: string[] = [];
    for (let length = 0; length < filterLengthMax; length += (terms.at(-1)?.length ?? 0) + word.length + 2) {
      terms.push(term(terms.length));
    }
    return terms.join(` ${word} `);
  };
  return [
    ['thousands of different properties', joined('or', (at) => `P${at} eq 1`)],
    ['thousands of different properties under and', joined('and', (at) => `not (P${at} eq 1)`)],
    ['thousands of partitions', joined('or', (at) => `PartitionKey eq 'x${at}'`)],
    ['thousands of row keys', joined('or', (at) => `RowKey eq '${at}'`)],
    ['thousands of ranges', joined('or', (at) => `(PartitionKey gt 'x${at}' and PartitionKey lt 'x${at}0')`)],
    ['thousands of single rows', joined('or', (at) => `(PartitionKey eq 'p' and RowKey eq '${at}')`)],
    ['unions under and', Array(12).fill("(RowKey eq 'a' or PartitionKey eq 'b' or RowKey eq 'c')").join(' and ')],
    ['parentheses', '('.repeat(filterLengthMax)],
    ['negations', `${'not '.repeat(filterLengthMax / 4)}true`],
    ['quotes', "'".repeat(filterLengthMax)],
    ['one long string', `A eq '${'x'.repeat(filterLengthMax)}'`],
    ['one long name', `${'x'.repeat(filterLengthMax)} eq 1`],
    ['one long number', `A eq ${'9'.repeat(filterLengthMax)}`],
    ['one long minus', `A eq ${'-'.repeat(filterLengthMax)}1`],
    ['blanks', `A${' '.repeat(filterLengthMax)}eq 1`],
  ];
}

/** Returns paths of queries that are as expensive as possible for one request. */
export function hostileQueries(table: string): readonly (readonly [what: string, path: string])[] {
  const names = Array.from({ length: 4_000 }, (_, at) => `P${at}`).join(',');
  return [
    ...hostileFilters().map(([what, $filter]) => [what, withQuery(`/${table}()`, { $filter })] as const),
    ['thousands of selected properties', withQuery(`/${table}()`, { $select: names })],
    [
      'one selected property, thousands of times',
      withQuery(`/${table}()`, { $select: Array(9_000).fill('A').join(',') }),
    ],
    ['a page of zeros', withQuery(`/${table}()`, { $top: '0'.repeat(20_000) })],
    ['a token of a large length', withQuery(`/${table}()`, { NextPartitionKey: `1!20000!${'a'.repeat(20_000)}` })],
    ['thousands of options', `/${table}()?${Array.from({ length: 4_000 }, (_, at) => `o${at}=1`).join('&')}`],
  ];
}
