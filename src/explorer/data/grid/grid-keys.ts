import { propertyOf } from '../../client/entity.js';
import { copyText } from '../../parts/copy-text.js';
import { mayEdit } from '../../shell/read-as.js';
import { columns, setHidden, setWidth } from '../columns.js';
import { askToDelete } from '../dialogs/open-dialog.js';
import { openEntity } from '../drawer/drawer-state.js';
import { loadedEntities, rowAt } from '../rows.js';
import { selectAll, selectedCount, toggleSelected } from '../selection.js';
import { activeCell } from './active-cell.js';

/** How much a key changes the width of a column. Unit: CSS pixels. */
const widthStep = 24;

/** Does what a key does in the grid. Returns whether it does anything. */
export function runKey(event: KeyboardEvent): boolean {
  const { row, column } = activeCell.value;
  const name = columns.value[column]?.name;
  if (name === undefined || event.altKey) return false;
  if (event.ctrlKey || event.metaKey) {
    if (event.key === 'a') selectAll(loadedEntities.value);
    return event.key === 'a' || (event.key === 'c' && copyCell(row, name));
  }
  if (row < 0) return runHeaderKey(event.key, name, columns.value[column]?.width ?? 0);
  const entity = rowAt(row);
  if (!entity) return false;
  switch (event.key) {
    case 'Enter':
    case 'F2':
      openEntity(entity, name);
      return true;
    case ' ':
      toggleSelected(entity);
      return true;
    case 'Delete':
      if (!mayEdit.value) return false;
      if (selectedCount.value === 0) toggleSelected(entity);
      askToDelete('selection');
      return true;
  }
  return false;
}

function runHeaderKey(key: string, name: string, width: number): boolean {
  if (key === '>') setWidth(name, width + widthStep);
  else if (key === '<') setWidth(name, width - widthStep);
  else if (key === 'Delete' && name !== 'PartitionKey' && name !== 'RowKey') setHidden(name, true);
  else return false;
  return true;
}

function copyCell(row: number, name: string): boolean {
  const entity = rowAt(row);
  const value = entity && propertyOf(entity, name);
  if (value) void copyText(value.text, name);
  return value !== undefined;
}
