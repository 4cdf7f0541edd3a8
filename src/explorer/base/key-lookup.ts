import { literalOf } from './value.js';

/**
 * A filter, with its conditions on the keys as a reader writes them: `ab` is this key, `ab*` a key that begins with it, `a..b` a key from
 * a to b. `\` before a sign makes it a part of the key.
 */
export interface KeyLookup {
  /** Empty for any PartitionKey, or if the filter says something else about it. */
  readonly partition: string;
  readonly row: string;
  /** The other conditions, as OData. */
  readonly rest: string;
}

type Operator = 'eq' | 'ge' | 'le' | 'lt';
type Condition = readonly [operator: Operator, key: string];

const term = /^(PartitionKey|RowKey)\s+(eq|ge|le|lt)\s+'((?:[^']|'')*)'$/su;

/** Reads the conditions on the keys out of a filter. Those of another form stay in the rest. */
export function readKeys(filter: string): KeyLookup {
  const terms = termsOf(filter);
  if (!terms) return { partition: '', row: '', rest: filter };
  const read = (name: string) => {
    const mine = terms.filter((text) => term.exec(text)?.[1] === name);
    const field = fieldOf(
      mine
        .map((text) => term.exec(text) ?? [])
        .map(([, , operator, key = '']) => [operator as Operator, key.replaceAll("''", "'")]),
    );
    return { field: field ?? '', taken: field === undefined ? [] : mine };
  };
  const [partition, row] = [read('PartitionKey'), read('RowKey')];
  const rest = terms.filter((text) => !partition.taken.includes(text) && !row.taken.includes(text));
  return { partition: partition.field, row: row.field, rest: rest.join(' and ') };
}

/** Writes a filter from its parts. */
export function writeKeys({ partition, row, rest }: KeyLookup): string {
  const write = (name: string, field: string) =>
    conditionsOf(field).map(([operator, text]) => `${name} ${operator} ${literalOf({ type: 'Edm.String', text })}`);
  const others = rest.trim() === '' ? [] : [termsOf(rest) ? rest.trim() : `(${rest.trim()})`];
  return [...write('PartitionKey', partition), ...write('RowKey', row), ...others].join(' and ');
}

/** Returns the filter of the keys with this beginning, which is not empty. */
export function prefixFilter(name: 'PartitionKey' | 'RowKey', start: string): string {
  const field = `${escaped(start)}*`;
  return writeKeys({ partition: '', row: '', [name === 'RowKey' ? 'row' : 'partition']: field, rest: '' });
}

/** Returns the conditions that `and` joins; undefined if the filter is of another form. */
function termsOf(filter: string): readonly string[] | undefined {
  const terms = [''];
  let depth = 0;
  for (const [token] of filter.matchAll(/'(?:[^']|'')*'|[\p{L}\p{N}_]+|./gsu)) {
    if (token === '(') depth++;
    if (token === ')') depth--;
    if (depth < 0 || token === "'" || (depth === 0 && (token === 'or' || token === 'not'))) return undefined;
    if (depth === 0 && token === 'and') terms.push('');
    else terms.push(`${terms.pop()}${token}`);
  }
  return depth === 0 ? terms.map((text) => text.trim()).filter((text) => text !== '') : undefined;
}

/** Returns what a field says about its key. */
function conditionsOf(field: string): readonly Condition[] {
  const parts = [''];
  let isPrefix = false;
  for (const [all, own, dots, star] of field.matchAll(/\\(.)|(\.\.)|(\*)$|./gsu)) {
    if (dots && parts.length === 1) parts.push('');
    else if (star && parts.length === 1) isPrefix = true;
    else parts.push(`${parts.pop()}${own ?? all}`);
  }
  const [from = '', to] = parts;
  if (to === undefined && !isPrefix) return from === '' ? [] : [['eq', from]];
  const above = isPrefix ? after(from) : undefined;
  return [
    ...(from ? [['ge', from] as const] : []),
    ...(above ? [['lt', above] as const] : []),
    ...(to ? [['le', to] as const] : []),
  ];
}

/** Returns the text of a field for these conditions; undefined if it has none. */
function fieldOf(conditions: readonly Condition[]): string | undefined {
  const { eq, ge = '', le, lt }: Partial<Record<Operator, string>> = Object.fromEntries(conditions);
  const form = conditions
    .map(([operator]) => operator)
    .sort()
    .join(' ');
  if (form === 'eq' && eq) return escaped(eq);
  if (form === 'ge' && ge !== '') return `${escapedFrom(ge)}..`;
  if ((form === 'ge le' || form === 'le') && le) return `${escapedFrom(ge)}..${escaped(le)}`;
  return form === 'ge lt' && ge !== '' && after(ge) === lt ? `${escaped(ge)}*` : undefined;
}

function escaped(key: string): string {
  return key.replace(/\\|\.(?=\.)|\*$/g, '\\$&');
}

/** Escapes a key that dots follow. */
function escapedFrom(key: string): string {
  return escaped(key).replace(/\.$/, '\\.');
}

/** Returns the least key above all that begin with this one; undefined if there is none. It is well-formed, so a URL keeps it. */
function after(prefix: string): string | undefined {
  const signs = [...prefix];
  while (signs.at(-1) === '\uffff') signs.pop();
  const last = signs.pop()?.codePointAt(0);
  if (last === undefined) return undefined;
  // UTF-16 orders the signs beyond U+FFFF, whose units begin at U+D800, before U+E000.
  const next = last === 0xd7ff ? 0x10000 : last === 0x10ffff ? 0xe000 : last + 1;
  return signs.join('') + String.fromCodePoint(next);
}
