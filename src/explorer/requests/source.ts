import { computed } from '@preact/signals';
import { linkTo, openOver, route } from '../model/route.js';
import { copyText } from '../parts/copy.js';
import { type GridSource, gridState } from '../parts/grid/source.js';
import { allColumns, columns } from './columns.js';
import { choose, rows } from './rows.js';

/** The user's state in the list, which stays while other tabs are shown. */
const state = gridState();

/** The list, for the grid. */
export const source = computed<GridSource>(() => {
  const entries = rows.value;
  const open = (row: number) => {
    const entry = entries[row];
    if (entry) openOver('item', entry.CorrelationId);
  };
  return {
    label: 'Requests, the newest first',
    columns: columns.value,
    count: entries.length,
    isWhole: true,
    opensOnClick: true,
    state,
    cell(row, { id }) {
      const entry = entries[row];
      const column = allColumns.find((one) => one.id === id);
      return { text: (entry && column?.text(entry)) ?? '', kind: entry && column?.kind?.(entry) };
    },
    rowClass: (row) => (entries[row]?.CorrelationId === route.value.item ? 'open' : ''),
    open,
    menu(row, { id }) {
      const entry = entries[row];
      if (!entry) return [];
      const { choice, text } = allColumns.find((one) => one.id === id) ?? {};
      const value = choice === 'class' ? entry.Class : text?.(entry);
      const link = linkTo({ item: entry.CorrelationId });
      return [
        { label: 'Open', run: () => open(row) },
        ...(choice && value ? [{ label: `Only ${id} ${value}`, run: () => choose(choice, value) }] : []),
        { label: 'Copy the link', run: () => void copyText(link, 'link') },
      ];
    },
  };
});
