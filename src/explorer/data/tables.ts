import { computed, effect, signal, untracked } from '@preact/signals';
import type { ListedTable } from '../../client/calls.js';
import { reconnections } from '../model/conditions.js';
import { reader } from '../model/identities.js';
import { showError } from '../model/notices.js';
import { poll } from '../model/poll.js';
import { go, route } from '../model/route.js';
import { service } from '../model/service.js';
import { account } from '../model/session.js';
import { server } from '../wire/control-client.js';

/** The tables of the account, in the order of their names; undefined until they are loaded. */
export const tables = signal<readonly ListedTable[] | undefined>(undefined);

/** Number of entities of each table at the last count. The cloud has no count: this server reads all entities for it. */
export const counts = signal<ReadonlyMap<string, number>>(new Map());

/** The name of the current table. */
export const table = computed(() => (route.value.tab === 'data' ? route.value.item : undefined));

/** Why the chosen identity may not list the tables; undefined if it may. */
export const listRejection = signal<Error | undefined>(undefined);

/** Loads the tables of the account, then counts their entities. As an identity, only lists the tables, if its roles permit that. */
export async function loadTables(): Promise<void> {
  const [name, as] = [account.value?.name, reader.value];
  if (name === undefined) return;
  const isLeft = () => account.value?.name !== name || reader.value !== as;
  try {
    const listed =
      as === undefined
        ? await server.tables.list({ account: name })
        : (await service.listTableNames()).map((table) => ({ account: name, name: table }));
    if (isLeft()) return;
    tables.value = listed;
    listRejection.value = undefined;
    // Counting reads all entities with the rights of the owner.
    if (as !== undefined) return;
    const counted = await server.tables.list({ account: name, count: true });
    if (isLeft()) return;
    counts.value = new Map(counted.map((one) => [one.name, one.entities ?? 0]));
  } catch (error) {
    if (isLeft()) return;
    if (as === undefined) {
      showError(error);
      return;
    }
    tables.value = [];
    listRejection.value = error as Error;
  }
}

/** Follows the account and the identity that reads it, and loads the tables. */
export function followTables(): () => void {
  let last: string | undefined;
  return effect(() => {
    const place = JSON.stringify([account.value?.name, reader.value]);
    if (place === last) return;
    last = place;
    untracked(() => {
      tables.value = undefined;
      listRejection.value = undefined;
      counts.value = new Map();
      void loadTables();
    });
  });
}

/** Time between two looks for tables of programs. Unit: milliseconds. (Our choice: names alone cost the server next to nothing.) */
const lookMs = 2000;

/** Lists the tables again when a program has created or deleted one, and loads them when the server is back, until the returned function is called. */
export function watchTables(): () => void {
  const stop = poll(
    async () => {
      const name = account.value?.name;
      if (name === undefined || reader.value !== undefined || tables.value === undefined) return;
      const listed = await server.tables.list({ account: name });
      const namesOf = (list: readonly ListedTable[]) => JSON.stringify(list.map((one) => one.name));
      // Without a count, which would read all entities each time a program creates a table.
      if (account.value?.name === name && namesOf(listed) !== namesOf(tables.value)) tables.value = listed;
    },
    lookMs,
    () => undefined,
  );
  const stopBack = effect(() => {
    if (reconnections.value > 0) untracked(() => void loadTables());
  });
  return () => {
    stop();
    stopBack();
  };
}

/** Shows a table from its beginning. */
export function openTable(name: string): void {
  go({ tab: 'data', item: name, params: new Map() });
}
