import { TableHead } from '../../parts/table-head.js';
import { typeChoices } from '../drawer/draft.js';
import type { MappedColumn } from '../edits/csv-header.js';

/** Where each column of a CSV file goes: to which property, of which type, or nowhere. */
export function ColumnMapping(props: {
  readonly columns: readonly MappedColumn[];
  readonly change: (columns: readonly MappedColumn[]) => void;
}) {
  const { columns, change } = props;
  const set = (at: number, changed: Partial<MappedColumn>) => {
    const column = columns[at];
    if (column) change(columns.with(at, { ...column, ...changed }));
  };
  return (
    <div class="scrolling">
      <table class="difference">
        <TableHead columns={['Column', 'Property', 'Type, unless given in the file']} />
        <tbody>
          {columns.map(({ column, property, type }, at) => (
            <tr key={column}>
              <th scope="row">{column}</th>
              <td>
                <input
                  aria-label={`Property of ${column}`}
                  list="key-names"
                  placeholder="left out"
                  value={property}
                  onInput={({ currentTarget }) => set(at, { property: currentTarget.value.trim() })}
                />
              </td>
              <td>
                <select
                  aria-label={`Type of ${column}`}
                  value={type}
                  onChange={({ currentTarget }) => set(at, { type: currentTarget.value })}
                >
                  <option value="">as found</option>
                  {typeChoices.map((choice) => (
                    <option key={choice.type} value={choice.type}>
                      {choice.label}
                    </option>
                  ))}
                </select>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      <datalist id="key-names">
        <option value="PartitionKey" />
        <option value="RowKey" />
      </datalist>
    </div>
  );
}
