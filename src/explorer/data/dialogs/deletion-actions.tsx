import { useSignal } from '@preact/signals';
import { closeDialog } from './open-dialog.js';

/** From how many entities on the name of the table has to be typed. Ours: fewer are soon made again. */
const confirmedAbove = 1000;

/** What a dialog deletes. */
export interface Deletion {
  readonly table: string;
  /** How many entities; undefined if that is not known. */
  readonly count: number | undefined;
  /** What the button says. */
  readonly label: string;
  /** Is called when the dialog is closed. */
  readonly onDelete: () => void;
}

/** The end of a dialog that deletes. For many entities, or an unknown number, the name of the table has to be typed. */
export function DeletionActions({ table, count, label, onDelete }: Deletion) {
  const typed = useSignal('');
  const needsName = count === undefined || count > confirmedAbove;
  return (
    <>
      {needsName && (
        <div class="stack">
          <label for="confirm-name">Type the table name, {table}</label>
          <input
            id="confirm-name"
            autocomplete="off"
            value={typed.value}
            onInput={({ currentTarget }) => (typed.value = currentTarget.value)}
          />
        </div>
      )}
      <div class="actions">
        <button type="button" onClick={closeDialog}>
          Cancel
        </button>
        <button
          type="button"
          class="danger"
          disabled={needsName && typed.value !== table}
          onClick={() => {
            closeDialog();
            onDelete();
          }}
        >
          {label}
        </button>
      </div>
    </>
  );
}
