import { useSignal } from '@preact/signals';
import { tableNameLengthMax, tableNameLengthMin } from '../../../protocol/limits.js';
import { checkTableName } from '../../../protocol/names.js';
import { service } from '../../model/service.js';
import { Dialog } from '../../parts/dialog.js';
import { loadTables, openTable } from '../tables.js';
import { closeDialog } from './open-dialog.js';

/** The errors of a name. Source: data-model 1.1. */
const faults = {
  length: `A name has ${tableNameLengthMin} to ${tableNameLengthMax} characters.`,
  characters: 'Use letters and digits, starting with a letter.',
  reserved: 'This name is reserved.',
} as const;

/** Asks for the name of a new table. */
export function CreateTable() {
  const name = useSignal('');
  const rejected = useSignal<string | undefined>(undefined);
  const invalid = checkTableName(name.value);
  const fault = rejected.value ?? (name.value !== '' && invalid ? faults[invalid] : undefined);
  const create = async () => {
    try {
      await service.createTable(name.value);
      closeDialog();
      await loadTables();
      openTable(name.value);
    } catch (error) {
      rejected.value = error instanceof Error ? error.message : String(error);
    }
  };
  return (
    <Dialog label="Create a table" onClose={closeDialog}>
      <h2>Create a table</h2>
      <form
        class="stack"
        onSubmit={(event) => {
          event.preventDefault();
          if (!invalid) void create();
        }}
      >
        <label for="table-name">Name</label>
        <input
          id="table-name"
          autofocus
          autocomplete="off"
          value={name.value}
          aria-invalid={fault !== undefined}
          aria-describedby="table-name-fault"
          onInput={({ currentTarget }) => {
            name.value = currentTarget.value;
            rejected.value = undefined;
          }}
        />
        <p id="table-name-fault" class="fault">
          {fault}
        </p>
        <div class="actions line">
          <button type="button" onClick={closeDialog}>
            Cancel
          </button>
          <button type="submit" class="primary" disabled={invalid !== undefined}>
            Create
          </button>
        </div>
      </form>
    </Dialog>
  );
}
