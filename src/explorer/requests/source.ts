import { computed } from '@preact/signals';
import { hrefOf, route } from '../model/route.js';
import { copyText } from '../parts/copy.js';
import { type GridSource, gridState } from '../parts/grid/source.js';
import { columns, setWidth } from './columns.js';
import { openRequest } from './panel.js';
import { choose, openGroups, rows, toggleGroup } from './rows.js';

/** The user's state in the list, which stays while other tabs are shown. */
const state = gridState();

/** The list, for the grid. */
export const source = computed<GridSource>(() => {
  const lines = rows.value;
  const columnOf = (id: string) => columns.value.find((one) => one.id === id);
  return {
    label: 'Requests, the newest first',
    columns: columns.value.map(({ id, width }) => ({ id, width })),
    count: lines.length,
    isWhole: true,
    opensOnClick: true,
    state,
    idAt: (row) => lines[row]?.id,
    cell(row, { id }) {
      const line = lines[row];
      const column = columnOf(id);
      const text = (line && column?.text(line)) ?? '';
      const count = id === 'Operation' ? (line?.group.length ?? 1) : 1;
      const isOpen = line && openGroups.value.has(line.id);
      return {
        text,
        kind: line && column?.kind?.(line),
        ...(count > 1 && { mark: `×${count}`, label: `${text}, ${count} requests, ${isOpen ? 'open' : 'closed'}` }),
      };
    },
    rowClass(row) {
      const line = lines[row];
      const isOpen = line?.group.length === 1 && line.entry.CorrelationId === route.value.item;
      return `${line?.isMember ? 'member' : ''}${isOpen ? ' open' : ''}`;
    },
    open,
    menu(row, { id }) {
      const line = lines[row];
      const { choice, text } = columnOf(id) ?? {};
      const value = choice === 'class' ? line?.entry.Class : line && text?.(line);
      if (!line) return [];
      const link = `${location.origin}${location.pathname}${hrefOf({ item: line.entry.CorrelationId })}`;
      return [
        { label: line.group.length > 1 ? 'Each request' : 'Open', run: () => open(row) },
        ...(choice && value ? [{ label: `Only ${id} ${value}`, run: () => choose(choice, value) }] : []),
        { label: 'Copy the link', run: () => void copyText(link, 'link') },
      ];
    },
    setWidth,
  };
});

/** Opens the request of a line, or the single requests of a group. */
function open(row: number): void {
  const line = rows.value[row];
  if (!line) return;
  if (line.group.length > 1) toggleGroup(line.id);
  else openRequest(line.entry.CorrelationId);
}
