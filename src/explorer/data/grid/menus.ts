import { writeBody } from '../../base/entity.js';
import { prefixFilter } from '../../base/key-lookup.js';
import { literalOf } from '../../base/value.js';
import { propertiesOf, rowOf } from '../../model/draft.js';
import { mayEdit } from '../../model/identities.js';
import { linkTo } from '../../model/route.js';
import { copyText } from '../../parts/copy.js';
import { beginEdit, type GridColumn, type GridSource, rangeRows } from '../../parts/grid/source.js';
import { countOf } from '../../parts/list.js';
import type { MenuItem } from '../../parts/menu.js';
import { hiddenColumns, setHidden, setWidth } from '../columns.js';
import { deleteEntities } from '../dialogs/questions.js';
import { cloneEntity } from '../panel/panel-state.js';
import { filter, runFilter } from '../query/query.js';
import { sortBy, sortedAs } from '../view.js';
import { draftAt, entityAt, isChanged, isEditable, isKey, stageAll, valueAt } from './entity-rows.js';

/** Returns the actions for a cell; those that change something are for the rows of the range. */
export function cellMenu(source: GridSource, row: number, column: GridColumn): readonly MenuItem[] {
  const { id: name } = column;
  const [value, entity, rows] = [valueAt(row, name), entityAt(row), rangeRows(source.state)];
  const literal = value && !isChanged(row, name) ? literalOf(value) : undefined;
  const canEdit = mayEdit.value && isEditable(row, name);
  const ofRows = rows.length > 1 ? ` of ${rows.length} rows` : '';
  return [
    { label: 'Open', keys: 'Enter', run: () => source.open(row, column) },
    literal && { label: 'Filter by this value', isApart: true, run: () => narrow(`${name} eq ${literal}`) },
    literal && { label: 'Exclude this value', run: () => narrow(`${name} ne ${literal}`) },
    literal &&
      isKey(name) &&
      value?.text && { label: `${name} begins with this`, run: () => narrow(prefixFilter(name, value.text)) },
    entity && {
      label: 'Open this partition',
      run: () => runFilter(`PartitionKey eq ${literalOf({ type: 'Edm.String', text: entity.partitionKey })}`),
    },
    value && { label: 'Copy the value', isApart: true, keys: 'Ctrl C', run: () => void copyText(value.text, name) },
    {
      label: rows.length > 1 ? `Copy ${rows.length} rows as JSON` : 'Copy the row as JSON',
      run: () => void copyText(rows.map(jsonOf).join('\n'), countOf(rows.length, 'entity', 'entities')),
    },
    entity && {
      label: 'Copy a link to the row',
      run: () => {
        const params = new Map([['row', rowOf(entity)]]);
        void copyText(linkTo({ params }), 'the link');
      },
    },
    canEdit && { label: 'Edit the value', isApart: true, keys: 'F2', run: () => void beginEdit(source) },
    canEdit &&
      !isKey(name) && {
        label: `Remove ${name}${ofRows}`,
        keys: 'Backspace',
        run: () => stageAll(rows, name, undefined),
      },
    mayEdit.value && entity && { label: 'Clone', isApart: true, run: () => cloneEntity(entity) },
    mayEdit.value &&
      entity && {
        label: rows.length > 1 ? `Delete ${rows.length} rows…` : 'Delete the row…',
        keys: 'Delete',
        run: () => void deleteEntities('selection'),
      },
  ].filter((one) => typeof one === 'object');
}

/** Adds a condition to the filter. */
function narrow(condition: string): void {
  const now = filter.value;
  runFilter(now === '' ? condition : `${/\bor\b/.test(now) ? `(${now})` : now} and ${condition}`);
}

function jsonOf(row: number): string {
  const [entity, draft] = [entityAt(row), draftAt(row)];
  if (draft) return writeBody(propertiesOf(draft), draft);
  return entity ? writeBody(entity.properties, entity) : '';
}

/** Returns the actions for a column. */
export function headerMenu(name: string): readonly MenuItem[] {
  const sorted = sortedAs(name);
  return [
    { label: 'Sort the rows read, up', isChecked: sorted === 'ascending', run: () => sortBy(name, 'ascending') },
    { label: 'Sort the rows read, down', isChecked: sorted === 'descending', run: () => sortBy(name, 'descending') },
    sorted && { label: 'Do not sort', run: () => sortBy(name, undefined) },
    { label: 'Fit the width to the values', isApart: true, run: () => setWidth(name) },
    !isKey(name) && { label: 'Hide', keys: 'Delete', run: () => setHidden(name, true) },
    ...hiddenColumns.value.map((one) => ({ label: `Show ${one}`, run: () => setHidden(one, false) })),
  ].filter((one) => typeof one === 'object');
}
