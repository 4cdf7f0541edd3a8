import { afterComma, afterSpace, type Row, scanEntity, stringOf, typeSuffix } from './row.js';

/**
 * Cuts the entities out of a response. Their values are not parsed, so they stay exactly as the service wrote them: the digits of a
 * Double, the ticks of a DateTime, the order of properties. Errors: SyntaxError for a response that is cut off.
 */
export function cutRows(text: string): Row[] {
  const rows: Row[] = [];
  const [start] = /"value"\s*:\s*\[/.exec(text) ?? [];
  if (start === undefined) throw new SyntaxError('the response has no list');
  let at = afterSpace(text, text.indexOf(start) + start.length);
  while (text.charCodeAt(at) === 0x7b) {
    const { row, end } = cutRow(text, at);
    rows.push(row);
    at = afterComma(text, end);
  }
  if (text.charCodeAt(at) !== 0x5d || afterSpace(text, at + 1) >= text.length)
    throw new SyntaxError('the list of entities is cut off');
  return rows;
}

/** Reads an entity that is the whole of a text. Errors: SyntaxError. */
export function readRow(text: string): Row {
  const { row, end } = cutRow(text, afterSpace(text, 0));
  if (afterSpace(text, end) < text.length) throw new SyntaxError('there is text after the entity');
  return row;
}

/**
 * Cuts out the entity that begins at a brace, without metadata, Timestamp and nulls: a service sends nulls for selected properties that
 * an entity lacks. Errors: SyntaxError.
 */
export function cutRow(text: string, from: number): { readonly row: Row; readonly end: number } {
  let kept = '';
  let keptFrom = afterSpace(text, from + 1);
  let previous = keptFrom;
  let partitionKey: string | undefined;
  let rowKey: string | undefined;
  const leaveOut = (start: number, next: number) => {
    if (start > keptFrom) kept += text.slice(keptFrom, start);
    keptFrom = next;
  };
  const end = scanEntity(text, from, (at, nameEnd, valueAt, valueEnd, next) => {
    // P, R, T, o: only names with these letters have a meaning of their own.
    const first = text.charCodeAt(at + 1);
    if (first === 0x50 && nameEnd - at === 14 && text.startsWith('"PartitionKey"', at)) {
      partitionKey = keyOf(text.slice(valueAt, valueEnd));
    } else if (first === 0x52 && nameEnd - at === 8 && text.startsWith('"RowKey"', at)) {
      rowKey = keyOf(text.slice(valueAt, valueEnd));
    } else if (
      (first === 0x54 && (text.startsWith('"Timestamp"', at) || text.startsWith('"Timestamp@', at))) ||
      (first === 0x6f && text.startsWith('"odata.', at))
    ) {
      leaveOut(at, next);
    } else if (text.charCodeAt(valueAt) === 0x6e) {
      // Its type goes with it.
      const isTyped = text.startsWith(`${text.slice(at, nameEnd - 1)}${typeSuffix}"`, previous);
      leaveOut(isTyped ? previous : at, next);
    }
    previous = at;
  });
  leaveOut(end - 1, end);
  if (partitionKey === undefined || rowKey === undefined) throw new SyntaxError('an entity lacks a key');
  // A pattern would look at each comma.
  const members = kept.trimEnd();
  const body = members.endsWith(',') ? members.slice(0, -1) : members;
  return { row: { partitionKey, rowKey, text: `{${body}}` }, end };
}

/** Errors: SyntaxError for a key that is not a string. */
function keyOf(json: string): string {
  if (!json.startsWith('"')) throw new SyntaxError('a key is not a string');
  return stringOf(json);
}
