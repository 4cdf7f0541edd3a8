import { readJsonString } from '../../entity/stored/json-text.js';
import { readProperties, withoutKeyPlaces } from '../../entity/stored/read-property.js';
import { keyOf } from '../../entity/stored/write-row.js';
import { ownText } from '../../remembered.js';
import { StateFault } from '../../state/state-fault.js';
import type { ExportForm } from '../json/write-json.js';
import type { ExportedPart } from '../table-header.js';
import { cellsMax } from './read-csv-records.js';

/**
 * Writes typed CSV, as Azure Storage Explorer does: `PartitionKey,RowKey`, then each property with its `@type`. A missing
 * property is an empty cell without a type. Reads the table twice, because the first line has all properties.
 *
 * Errors: StateFault for more properties than a row may have, and for text that is not Unicode.
 */
export async function writeCsv(
  read: () => AsyncIterable<ExportedPart>,
  { select }: Pick<ExportForm, 'select'>,
): Promise<AsyncIterable<string>> {
  const names = new Set<string>();
  for await (const part of read()) {
    if (part.kind === 'table') continue;
    for (const text of part.texts) {
      if (text.includes('\\ud')) checkText(text);
      for (const { name } of readProperties(withoutKeyPlaces(text))) if (!names.has(name)) names.add(ownText(name));
    }
    if (2 * names.size + 2 > cellsMax) throw new StateFault('invalid', 'The table has too many properties for CSV.');
  }
  return rowsOf(read(), select ?? [...names]);
}

async function* rowsOf(parts: AsyncIterable<ExportedPart>, names: readonly string[]): AsyncGenerator<string> {
  const header = ['PartitionKey', 'RowKey', ...names.flatMap((name) => [name, `${name}@type`])];
  yield `${header.join(',')}\n`;
  for await (const part of parts) {
    if (part.kind === 'entities') yield part.texts.map((text) => rowOf(text, names)).join('');
  }
}

function rowOf(text: string, names: readonly string[]): string {
  const properties = new Map(readProperties(text).map((property) => [property.name, property]));
  const cells = names.flatMap((name) => {
    const property = properties.get(name);
    if (!property) return ['', ''];
    const { type, json } = property;
    return [json.startsWith('"') ? quoted(readJsonString(json)) : json, type];
  });
  return `${[quoted(keyOf(text, 'PartitionKey')), quoted(keyOf(text, 'RowKey')), ...cells].join(',')}\n`;
}

function quoted(cell: string): string {
  return /[",;\t\r\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell;
}

/** Checks that no string of an entity has a lone surrogate, which UTF-8 cannot represent. */
function checkText(text: string): void {
  const texts = [keyOf(text, 'PartitionKey'), keyOf(text, 'RowKey')];
  for (const { json } of readProperties(text)) if (json.startsWith('"')) texts.push(readJsonString(json));
  if (texts.every((one) => one.isWellFormed())) return;
  throw new StateFault(
    'invalid',
    'An entity contains a string that is not valid Unicode, which CSV cannot represent. Use NDJSON.',
  );
}
