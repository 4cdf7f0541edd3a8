import { useSignal } from '@preact/signals';
import { isPropertyName } from '../../../protocol/names.js';
import type { EdmType } from '../../../protocol/values/edm.js';
import { systemColumns } from '../../client/entity.js';
import { groupWrites } from '../../client/transaction.js';
import { faultOf, shownValue } from '../../client/value.js';
import { Dialog } from '../../parts/dialog.js';
import { TableHead } from '../../parts/table-head.js';
import { showDone, showError } from '../../shell/notices.js';
import { columns } from '../columns.js';
import { typeChoices, usualText } from '../drawer/draft.js';
import { changeAll } from '../edits/multi-edit.js';
import { restart } from '../query/query.js';
import { selection } from '../selection.js';
import { table } from '../tables.js';
import { closeDialog } from './open-dialog.js';

/** How many entities the preview shows. */
const previewMax = 5;

/** Sets or removes one property of all entities that are selected. */
export function MultiEdit() {
  const entities = [...selection.value.values()];
  const action = useSignal<'set' | 'remove'>('set');
  const property = useSignal('');
  const type = useSignal<EdmType>('Edm.String');
  const text = useSignal('');
  const isRunning = useSignal(false);
  const value = action.value === 'set' ? { type: type.value, text: text.value } : undefined;
  const isName = isPropertyName(property.value) && !systemColumns.some((name) => name === property.value);
  const fault = value && faultOf(value);
  const transactions = groupWrites(entities).length;
  const run = async () => {
    isRunning.value = true;
    const report = await changeAll(table.value ?? '', entities, { property: property.value, value });
    closeDialog();
    showDone(`Changed ${report.entities.toLocaleString('en')} entities in ${report.transactions} transactions.`);
    for (const { partitionKey, entities, reason } of report.refused) {
      showError(new Error(`${entities} entities of the partition '${partitionKey}' are unchanged: ${reason}`));
    }
    restart();
  };
  return (
    <Dialog label="Edit the selected entities" onClose={closeDialog}>
      <h2>Edit {entities.length.toLocaleString('en')} entities</h2>
      <div class="shared-change">
        <select
          aria-label="What to do"
          value={action.value}
          onChange={({ currentTarget }) => (action.value = currentTarget.value as 'set' | 'remove')}
        >
          <option value="set">Set</option>
          <option value="remove">Remove</option>
        </select>
        <input
          aria-label="Property"
          list="known-properties"
          placeholder="property"
          autofocus
          value={property.value}
          onInput={({ currentTarget }) => {
            property.value = currentTarget.value;
            const known = columns.value.find(({ name }) => name === property.value)?.types[0];
            if (known !== undefined && known !== type.value) {
              type.value = known;
              text.value = usualText(known);
            }
          }}
        />
        <datalist id="known-properties">
          {columns.value.slice(3).map(({ name }) => (
            <option key={name} value={name} />
          ))}
        </datalist>
        {value && (
          <>
            <select
              aria-label="Type"
              value={type.value}
              onChange={({ currentTarget }) => (type.value = currentTarget.value as EdmType)}
            >
              {typeChoices.map((choice) => (
                <option key={choice.type} value={choice.type}>
                  {choice.label}
                </option>
              ))}
            </select>
            <input
              aria-label="Value"
              class="code"
              value={text.value}
              aria-invalid={fault !== undefined}
              onInput={({ currentTarget }) => (text.value = currentTarget.value)}
            />
          </>
        )}
      </div>
      {fault !== undefined && <p class="fault">{fault}</p>}
      {isName && (
        <table class="difference">
          <TableHead columns={['Entity', 'Before', 'After']} />
          <tbody>
            {entities.slice(0, previewMax).map((entity) => {
              const before = entity.properties.get(property.value);
              return (
                <tr key={`${entity.partitionKey} ${entity.rowKey}`}>
                  <th scope="row">
                    {entity.partitionKey} · {entity.rowKey}
                  </th>
                  <td>{before ? shownValue(before) : '—'}</td>
                  <td class="changed">{value ? shownValue(value) : '—'}</td>
                </tr>
              );
            })}
          </tbody>
        </table>
      )}
      <p>
        {transactions === 1 ? 'One transaction' : `${transactions.toLocaleString('en')} transactions`}, each of one
        partition. An entity that someone else has changed meanwhile stays, with those of its transaction.
      </p>
      <div class="actions">
        <button type="button" onClick={closeDialog}>
          Cancel
        </button>
        <button
          type="button"
          class="primary"
          disabled={!isName || fault !== undefined || isRunning.value}
          onClick={() => void run()}
        >
          Change {entities.length.toLocaleString('en')} entities
        </button>
      </div>
    </Dialog>
  );
}
