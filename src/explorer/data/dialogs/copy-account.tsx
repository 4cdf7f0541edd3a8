import { signal } from '@preact/signals';
import { account } from '../../model/session.js';
import { fetchVerb } from '../../wire/control-client.js';
import { ExistingEntities, ImportDialog } from './import-data.js';

/** Whether the dialog is open. */
export const isCopyOpen = signal(false);

/** Copies the tables of another account into this one. What the form holds is sent in a body and kept nowhere. */
export function CopyAccount() {
  return (
    <ImportDialog
      isOpen={isCopyOpen}
      label="Copy from an account"
      title={`Copy into ${account.value?.name}`}
      action="Copy"
      start={(fieldOf) => {
        const lists = { tables: listOf(fieldOf('tables')), mask: listOf(fieldOf('mask')) };
        const options = { from: fieldOf('from'), mode: fieldOf('mode'), account: account.value?.name ?? '' };
        return fetchVerb('copy', { ...options, ...lists, sample: Number(fieldOf('sample')) / 100 });
      }}
    >
      <label>
        Connection string, or signed URL
        <input name="from" type="password" required autocomplete="off" />
      </label>
      <label>
        Only these tables
        <input name="tables" class="code" placeholder="Orders, Users*" />
      </label>
      <label>
        Mask these properties
        <input name="mask" class="code" placeholder="Email, Users.Phone" />
      </label>
      <label>
        Percentage of the partitions
        <input name="sample" type="number" min="0.01" max="100" step="any" value="100" required />
      </label>
      <ExistingEntities />
    </ImportDialog>
  );
}

function listOf(text: string): readonly string[] {
  return text.split(',').flatMap((name) => name.trim() || []);
}
