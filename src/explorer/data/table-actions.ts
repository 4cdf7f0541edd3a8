import { mayEdit, reader } from '../model/identities.js';
import { showDone, showError } from '../model/notices.js';
import { account } from '../model/session.js';
import { copyText } from '../parts/copy.js';
import type { MenuItem } from '../parts/menu.js';
import { languages, type SampleQuery, writeCurl, writeQuery } from '../parts/programs.js';
import { fetchVerb, saveAnswer } from '../wire/control-client.js';
import { serverRoot } from '../wire/host.js';
import { isCopyOpen } from './dialogs/copy-account.js';
import { isImportOpen } from './dialogs/import-data.js';
import { deleteEntities, deleteTable } from './dialogs/questions.js';
import { filter, select } from './query/query.js';
import { loadedEntities } from './rows.js';
import { table } from './tables.js';

/** The formats of an export. */
const forms = [
  { format: 'ndjson', label: 'Lines of JSON, without loss' },
  { format: 'json', label: 'JSON' },
  { format: 'csv', label: 'CSV with types' },
] as const;

/** Returns the actions for the table and its query. */
export function tableActions(): readonly MenuItem[] {
  const name = table.value ?? '';
  const what = filter.value === '' && select.value === undefined ? 'the table' : 'this query';
  const query = {
    ...{ root: serverRoot, account: account.value?.name ?? '', table: name },
    ...{ filter: filter.value, select: select.value },
  };
  const copies = [
    ['curl (sh)', writeCurl(query)] as const,
    ...languages.map((one) => [one.label, writeQuery(one, query)] as const),
  ];
  const changes: readonly MenuItem[] = [
    { label: 'Import…', run: () => (isImportOpen.value = true) },
    { label: 'Copy from an account…', run: () => (isCopyOpen.value = true) },
    ...(loadedEntities.value.length > 0
      ? [{ label: 'Delete the results…', run: () => void deleteEntities('query') }]
      : []),
    { label: `Delete the table ${name}`, run: () => void deleteTable(name) },
  ];
  const exports = forms.map(({ format, label }) => ({
    label: `Export ${what}: ${label}`,
    run: () => void download(query, format).catch(showError),
  }));
  return [
    ...copies.map(([label, text]) => ({
      label: `Copy as ${label}`,
      run: () => void copyText(text, label),
    })),
    // An export has the rights of the owner.
    ...(reader.value === undefined ? exports : []),
    ...(mayEdit.value ? changes : []),
  ];
}

async function download({ account, table, filter, select }: SampleQuery, format: string): Promise<void> {
  const options = { account, table, format, ...(filter !== '' && { filter }), ...(select && { select }) };
  await saveAnswer(await fetchVerb('export', options), `${table}.${format}`);
  showDone(`Exported ${table}.`);
}
