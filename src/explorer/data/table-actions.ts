import { mayEdit, reader } from '../model/identities.js';
import { showDone, showError } from '../model/notices.js';
import { account } from '../model/session.js';
import { copyText } from '../parts/copy.js';
import type { MenuItem } from '../parts/menu.js';
import { fetchVerb, saveAnswer } from '../wire/control-client.js';
import { isImportOpen } from './dialogs/import-data.js';
import { deleteEntities, deleteTable } from './dialogs/questions.js';
import { filter, select } from './query/query.js';
import { progress } from './rows.js';
import { samples } from './samples.js';
import { table } from './tables.js';

/** Returns the actions for the table and its query. */
export function tableActions(): readonly MenuItem[] {
  const name = table.value ?? '';
  const changes: readonly MenuItem[] = [
    { label: 'Import…', run: () => (isImportOpen.value = true) },
    ...(progress.value.returned > 0 ? [{ label: 'Delete the results…', run: () => void deleteEntities('query') }] : []),
    { label: `Delete the table ${name}`, run: () => void deleteTable(name) },
  ];
  return [
    ...samples.map(({ label, write }) => ({
      label: `Copy as ${label}`,
      run: () =>
        void copyText(
          write({
            root: location.origin,
            account: account.value?.name ?? '',
            table: name,
            filter: filter.value,
            select: select.value,
          }),
          label,
        ),
    })),
    // An export has the rights of the owner.
    ...(reader.value === undefined ? exportItems() : []),
    ...(mayEdit.value ? changes : []),
  ];
}

/** The formats of an export. */
const forms = [
  { format: 'ndjson', label: 'Lines of JSON, without loss' },
  { format: 'json', label: 'JSON' },
  { format: 'csv', label: 'CSV with types' },
] as const;

/** Returns the exports that the query makes possible, in each form. */
function exportItems(): readonly MenuItem[] {
  return forms.flatMap(({ format, label }) => [
    {
      label: `Export ${isAll() ? 'the table' : 'this query'}: ${label}`,
      run: () => download(format, !isAll()).catch(showError),
    },
    ...(isAll()
      ? []
      : [{ label: `Export the whole table: ${label}`, run: () => download(format, false).catch(showError) }]),
  ]);
}

function isAll(): boolean {
  return filter.value === '' && select.value === undefined;
}

async function download(format: string, isQuery: boolean): Promise<void> {
  const name = table.value ?? '';
  const options = {
    ...{ account: account.value?.name ?? '', table: name, format },
    ...(isQuery && filter.value !== '' && { filter: filter.value }),
    ...(isQuery && select.value && { select: select.value }),
  };
  await saveAnswer(await fetchVerb('export', options), `${name}.${format}`);
  showDone(`Exported ${name}.`);
}
