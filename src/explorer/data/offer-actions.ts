import { effect } from '@preact/signals';
import { type Command, offerCommands } from '../shell/commands.js';
import { mayEdit, reader } from '../shell/read-as.js';
import { copyItems } from './copy/copy-menu.js';
import { exportItems } from './dialogs/export-menu.js';
import { openDialog } from './dialogs/open-dialog.js';
import { newEntity } from './drawer/drawer-state.js';
import { table } from './tables.js';

/** Offers in the palette what can be done with the table that is shown, until the tab is left. */
export function followActions(): () => void {
  const stop = effect(() => {
    const name = table.value;
    offerCommands('data', [
      ...(mayEdit.value ? changes(name) : []),
      ...(name === undefined || reader.value !== undefined ? [] : inGroup('Export', exportItems())),
      ...(name === undefined ? [] : inGroup('Copy as', copyItems())),
    ]);
  });
  return () => {
    stop();
    offerCommands('data', []);
  };
}

function changes(name: string | undefined): readonly Command[] {
  const createTable = { label: 'Create a table', run: () => (openDialog.value = { kind: 'create-table' }) };
  if (name === undefined) return inGroup('Data', [createTable]);
  return inGroup('Data', [
    { label: 'New entity', run: newEntity },
    { label: `Import into ${name}`, run: () => (openDialog.value = { kind: 'import' }) },
    { label: `Delete the table ${name}`, run: () => (openDialog.value = { kind: 'delete-table', table: name }) },
    createTable,
  ]);
}

function inGroup(group: string, items: readonly Omit<Command, 'group'>[]): readonly Command[] {
  return items.map((item) => ({ ...item, group }));
}
