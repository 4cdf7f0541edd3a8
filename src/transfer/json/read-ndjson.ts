import { AlikeBodies } from '../../entity/body/alike-bodies.js';
import { type JsonMember, readJsonObject } from '../../entity/body/read-json.js';
import { readJsonString } from '../../entity/stored/json-text.js';
import { TableError } from '../../protocol/errors.js';
import type { SentKeys, TransferItem, TransferItems } from '../import/transfer-item.js';
import type { Line } from '../read-lines.js';
import { isTableHeader, readTableHeader, TableHeaderFault } from '../table-header.js';

/** Reads NDJSON: a line for each table, and after it one for each of its entities. */
export async function* readNdjson(lines: AsyncIterable<readonly Line[]>): TransferItems {
  const bodies = new AlikeBodies();
  for await (const part of lines) yield part.map((line) => readLine(line, bodies));
}

function readLine({ number: line, text }: Line, bodies: AlikeBodies): TransferItem {
  if (text === undefined) return { kind: 'unreadable', line, error: new TableError('RequestBodyTooLarge') };
  if (!isTableHeader(text)) return entityItem(text, line, bodies);
  try {
    return { kind: 'table', line, ...readTableHeader(text) };
  } catch (error) {
    if (error instanceof TableHeaderFault) return { kind: 'unreadable', line, error, isTable: true };
    throw error;
  }
}

/** Returns the keys in the JSON of an entity, as far as they are strings. */
export function readKeys(text: string): SentKeys {
  let members: readonly JsonMember[] = [];
  try {
    members = readJsonObject(text);
  } catch (error) {
    if (!(error instanceof TableError)) throw error;
  }
  const keyOf = (key: string) => {
    const member = members.find(({ name }) => name === key);
    return member?.kind === 'string' ? readJsonString(member.json) : undefined;
  };
  return { partitionKey: keyOf('PartitionKey'), rowKey: keyOf('RowKey') };
}

/** Returns the item of an entity in JSON. `bodies` reads those of its file; `column` is where its text begins in the line, from 1. */
export function entityItem(text: string, line: number, bodies: Pick<AlikeBodies, 'read'>, column = 1): TransferItem {
  return {
    kind: 'entity',
    line,
    units: text.length,
    text,
    read: () => bodies.read(text),
    readKeys: () => readKeys(text),
    columnOf(property) {
      const at = text.indexOf(`${JSON.stringify(property)}:`);
      const isOnFirstLine = at >= 0 && !text.slice(0, at).includes('\n');
      return isOnFirstLine ? at + column : undefined;
    },
  };
}
