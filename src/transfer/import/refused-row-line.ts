import type { RefusedRow } from '../contract.js';

/** Returns a row as a line for people: its file or line, its table and keys, and why it was refused. */
export function lineOfRefusedRow({
  file,
  line,
  column,
  table,
  partitionKey,
  rowKey,
  code,
  message,
}: RefusedRow): string {
  const place =
    file === undefined
      ? `Line ${line}${column === undefined ? '' : `, column ${column}`}`
      : `${file}:${line}${column === undefined ? '' : `:${column}`}`;
  const key = partitionKey === undefined && rowKey === undefined ? '' : ` ('${partitionKey ?? ''}', '${rowKey ?? ''}')`;
  return `${place}: ${table ?? 'no table'}${key}: ${code}: ${message}`;
}
