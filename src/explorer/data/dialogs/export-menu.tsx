import { fetchVerb } from '../../client/control-client.js';
import { saveAnswer } from '../../client/download.js';
import { Menu, type MenuItem } from '../../parts/menu.js';
import { showDone, showError } from '../../shell/notices.js';
import { account } from '../../shell/session.js';
import { filter, select } from '../query/query.js';
import { table } from '../tables.js';

/** The forms of an export, with what they keep. */
const forms = [
  { format: 'ndjson', label: 'Lines of JSON, without loss' },
  { format: 'json', label: 'JSON' },
  { format: 'csv', label: 'CSV with types' },
] as const;

/** Exports what the query finds, or the whole table. */
export function ExportMenu() {
  return (
    <Menu label={isAll() ? 'Export the table' : 'Export this query'} icon="export" isUpwards items={exportItems()} />
  );
}

/** Returns the exports that the query makes possible, in each form. */
export function exportItems(): readonly MenuItem[] {
  return forms.flatMap(({ format, label }) => [
    { label: `${isAll() ? 'The table' : 'This query'}: ${label}`, run: () => void download(format, !isAll()) },
    ...(isAll() ? [] : [{ label: `The whole table: ${label}`, run: () => void download(format, false) }]),
  ]);
}

function isAll(): boolean {
  return filter.value === '' && select.value === undefined;
}

async function download(format: string, isQuery: boolean): Promise<void> {
  const name = table.value ?? '';
  const asked = {
    ...{ account: account.value?.name ?? '', table: name, format },
    ...(isQuery && filter.value !== '' && { filter: filter.value }),
    ...(isQuery && select.value && { select: select.value }),
  };
  try {
    await saveAnswer(await fetchVerb('export', asked), `${name}.${format}`);
    showDone(`Exported ${name}.`);
  } catch (error) {
    showError(error);
  }
}
