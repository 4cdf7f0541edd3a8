import { type Entity, propertyOf, systemColumns, writeBody } from '../../client/entity.js';
import { copyText } from '../../parts/copy-text.js';
import { selection } from '../selection.js';

/** Copies the selected entities: as lines of JSON, without loss, or as columns for a table. */
export async function copySelected(form: 'json' | 'tsv'): Promise<void> {
  const entities = [...selection.value.values()];
  const text = form === 'json' ? entities.map(lineOf).join('\n') : columnsOf(entities);
  await copyText(text, `${entities.length.toLocaleString('en')} entities`);
}

function lineOf(entity: Entity): string {
  return writeBody(entity.properties, entity);
}

function columnsOf(entities: readonly Entity[]): string {
  const names = [...new Set([...systemColumns, ...entities.flatMap(({ properties }) => [...properties.keys()])])];
  const rows = entities.map((entity) => names.map((name) => cell(propertyOf(entity, name)?.text ?? '')));
  return [names, ...rows].map((row) => row.join('\t')).join('\n');
}

/** Returns a text without what would end its cell. */
function cell(text: string): string {
  return text.replace(/[\t\r\n]+/g, ' ');
}
