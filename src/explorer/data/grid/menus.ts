import { writeBody } from '../../base/entity.js';
import { literalOf } from '../../base/value.js';
import { propertiesOf, rowOf } from '../../model/draft.js';
import { mayEdit } from '../../model/identities.js';
import { hrefOf } from '../../model/route.js';
import { copyText } from '../../parts/copy.js';
import { beginEdit, type GridSource, rangeRows } from '../../parts/grid/source.js';
import { countOf } from '../../parts/list.js';
import type { MenuItem } from '../../parts/menu.js';
import { hiddenColumns, resetColumns, setHidden, setWidth } from '../columns.js';
import { filter, runFilter } from '../query/query.js';
import { sortBy, sortedAs } from '../view.js';
import { draftAt, entityAt, isChanged, isEditable, isKey, stageAll, valueAt } from './entity-rows.js';

/** Returns the actions for a cell; those that change something are for the rows of the range. */
export function cellMenu(source: GridSource, row: number, name: string): readonly MenuItem[] {
  return [
    {
      label: 'Open',
      keys: 'Enter',
      run: () => source.open(row, source.columns[source.state.active.value.column] ?? none),
    },
    ...filterItems(row, name),
    ...copyItems(source, row, name),
    ...(mayEdit.value ? editItems(source, row, name) : []),
  ];
}

const none = { id: '', width: 0 };

/** Returns the filters that a value leads to. */
function filterItems(row: number, name: string): readonly MenuItem[] {
  const value = valueAt(row, name);
  const partition = valueAt(row, 'PartitionKey');
  const literal = value ? literalOf(value) : '';
  const isUsable = value && !isChanged(row, name);
  return [
    ...(isUsable
      ? [
          { label: 'Filter by this value', isApart: true, run: () => narrow(`${name} eq ${literal}`) },
          { label: 'Exclude this value', run: () => narrow(`${name} ne ${literal}`) },
        ]
      : []),
    ...(isUsable && isKey(name) && value.text !== ''
      ? [{ label: `${name} begins with this`, run: () => narrow(beginsWith(name, value.text)) }]
      : []),
    ...(partition && entityAt(row)
      ? [{ label: 'Open this partition', run: () => runFilter(`PartitionKey eq ${literalOf(partition)}`) }]
      : []),
  ];
}

/** Adds a condition to the filter. */
function narrow(condition: string): void {
  const now = filter.value;
  runFilter(now === '' ? condition : `${/\bor\b/.test(now) ? `(${now})` : now} and ${condition}`);
}

/** Returns the filter of the keys with this beginning: until the next possible one. */
function beginsWith(name: string, start: string): string {
  const next = start.slice(0, -1) + String.fromCharCode(start.charCodeAt(start.length - 1) + 1);
  const text = (key: string) => literalOf({ type: 'Edm.String', text: key });
  return `${name} ge ${text(start)} and ${name} lt ${text(next)}`;
}

function copyItems({ state }: GridSource, row: number, name: string): readonly MenuItem[] {
  const [value, entity] = [valueAt(row, name), entityAt(row)];
  const rows = rangeRows(state);
  return [
    ...(value
      ? [{ label: 'Copy the value', isApart: true, keys: 'Ctrl C', run: () => void copyText(value.text, name) }]
      : []),
    {
      label: rows.length > 1 ? `Copy ${rows.length} rows as JSON` : 'Copy the row as JSON',
      run: () => void copyText(rows.map(jsonOf).join('\n'), countOf(rows.length, 'entity', 'entities')),
    },
    ...(entity
      ? [
          {
            label: 'Copy a link to the row',
            run: () => {
              const params = new Map([['row', rowOf(entity)]]);
              void copyText(`${location.origin}${location.pathname}${hrefOf({ params })}`, 'the link');
            },
          },
        ]
      : []),
  ];
}

function jsonOf(row: number): string {
  const [entity, draft] = [entityAt(row), draftAt(row)];
  if (draft) return writeBody(propertiesOf(draft), draft);
  return entity ? writeBody(entity.properties, entity) : '';
}

function editItems(source: GridSource, row: number, name: string): readonly MenuItem[] {
  const rows = rangeRows(source.state);
  const ofRows = rows.length > 1 ? ` of ${rows.length} rows` : '';
  const canEdit = isEditable(row, name);
  return [
    ...(canEdit ? [{ label: 'Edit the value', isApart: true, keys: 'F2', run: () => void beginEdit(source) }] : []),
    ...(canEdit && !isKey(name)
      ? [{ label: `Remove ${name}${ofRows}`, keys: 'Backspace', run: () => stageAll(rows, name, undefined) }]
      : []),
  ];
}

/** Returns the actions for a column. */
export function headerMenu(name: string): readonly MenuItem[] {
  const sorted = sortedAs(name);
  return [
    { label: 'Sort the rows read, up', isChecked: sorted === 'ascending', run: () => sortBy(name, 'ascending') },
    { label: 'Sort the rows read, down', isChecked: sorted === 'descending', run: () => sortBy(name, 'descending') },
    ...(sorted ? [{ label: 'Do not sort', run: () => sortBy(name, undefined) }] : []),
    { label: 'Fit the width to the values', isApart: true, run: () => setWidth(name) },
    ...(isKey(name) ? [] : [{ label: 'Hide', keys: 'Delete', run: () => setHidden(name, true) }]),
    ...hiddenColumns.value.map((one) => ({ label: `Show ${one}`, run: () => setHidden(one, false) })),
    { label: 'Columns as they were', run: resetColumns },
  ];
}
