import { readEntity } from '../../entity/body/read-entity.js';
import { TableError } from '../../protocol/errors.js';
import type { TransferItem, TransferItems } from '../import/transfer-item.js';
import type { Line } from '../read-lines.js';
import { isTableHeader, readTableHeader, TableHeaderFault } from '../table-header.js';

/** Reads NDJSON: a line for each table, and after it one for each of its entities. */
export async function* readNdjson(lines: AsyncIterable<readonly Line[]>): TransferItems {
  for await (const part of lines) yield part.map(readLine);
}

function readLine({ number: line, text }: Line): TransferItem {
  if (text === undefined) return { kind: 'unreadable', line, error: new TableError('RequestBodyTooLarge') };
  if (!isTableHeader(text)) return entityItem(text, line);
  try {
    return { kind: 'table', line, ...readTableHeader(text) };
  } catch (error) {
    if (error instanceof TableHeaderFault) return { kind: 'unreadable', line, error, isTable: true };
    throw error;
  }
}

/** Returns the item of an entity in JSON. `column` is where its text begins in the line, from 1. */
export function entityItem(text: string, line: number, column = 1): TransferItem {
  return {
    kind: 'entity',
    line,
    units: text.length,
    read: () => readEntity(text),
    columnOf(property) {
      const at = text.indexOf(`${JSON.stringify(property)}:`);
      const isOnFirstLine = at >= 0 && !text.slice(0, at).includes('\n');
      return isOnFirstLine ? at + column : undefined;
    },
  };
}
