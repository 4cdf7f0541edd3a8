import { computed, effect, signal, untracked } from '@preact/signals';
import type { ListedTable } from '../../client/calls.js';
import { server } from '../client/control-client.js';
import { offerCommands } from '../shell/commands.js';
import { showError } from '../shell/notices.js';
import { go, route } from '../shell/route.js';
import { account } from '../shell/session.js';

/** The tables of the account, in the order of their names; undefined until they are loaded. */
export const tables = signal<readonly ListedTable[] | undefined>(undefined);

/** How many entities each table had when it was last counted. The cloud has no count: this server reads all entities for it. */
export const counts = signal<ReadonlyMap<string, number>>(new Map());

/** The name of the table that is shown. */
export const table = computed(() => (route.value.tab === 'data' ? route.value.item : undefined));

/** Loads the tables of the account now, and counts their entities after that. */
export async function loadTables(): Promise<void> {
  const name = account.value?.name;
  if (name === undefined) return;
  try {
    const listed = await server.tables.list({ account: name });
    if (account.value?.name !== name) return;
    tables.value = listed;
    const counted = await server.tables.list({ account: name, count: true });
    if (account.value?.name !== name) return;
    counts.value = new Map(counted.map((one) => [one.name, one.entities ?? 0]));
  } catch (error) {
    showError(error);
  }
}

/** Follows the account: loads its tables, and offers them in the palette. */
export function followTables(): () => void {
  let last: string | undefined;
  const stops = [
    effect(() => {
      const name = account.value?.name;
      if (name === last) return;
      last = name;
      untracked(() => {
        tables.value = undefined;
        counts.value = new Map();
        void loadTables();
      });
    }),
    effect(() => {
      const commands = (tables.value ?? []).map(({ name }) => ({
        label: name,
        group: 'Table',
        run: () => openTable(name),
      }));
      offerCommands('tables', commands);
    }),
  ];
  return () => {
    for (const stop of stops) stop();
  };
}

/** Shows a table from its beginning. */
export function openTable(name: string): void {
  go({ tab: 'data', item: name, params: new Map() });
}
