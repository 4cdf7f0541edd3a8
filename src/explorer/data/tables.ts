import { computed, effect, signal, untracked } from '@preact/signals';
import type { ListedTable, WrittenChange } from '../../client/calls.js';
import { reader } from '../model/identities.js';
import { hasJournal, listen } from '../model/live.js';
import { showError } from '../model/notices.js';
import { paced } from '../model/poll.js';
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

/**
 * Loads the tables of the account, and counts the entities of these, and of those that have no number; of all if none is named. As an
 * identity, only lists the tables, if its roles permit that.
 */
export async function loadTables(changed: readonly string[] = []): Promise<void> {
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
    const isCounted = (one: string) => changed.length > 0 && !changed.includes(one) && counts.value.has(one);
    for (const one of listed) if (!isCounted(one.name)) uncertain.add(one.name);
    recount();
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
      uncertain.clear();
      void loadTables();
    });
  });
}

/** Follows the tables that programs create and delete, and the numbers of their entities, until the returned function is called. */
export function watchTables(): () => void {
  return listen({
    events(all) {
      const here = all.filter(({ account: of }) => of === undefined || of === account.value?.name);
      const named = here.flatMap((event) => event.table ?? []);
      if (here.length > 0) void loadTables(named.length < here.length ? [] : named);
    },
    changes: countChanges,
    missed: () => void loadTables(),
  });
}

/** Tables whose numbers are not known exactly: a write did not look whether its entity was there, or came while they were counted. */
const uncertain = new Set<string>();

/** Number of counts that run. */
let counting = 0;

/** Shortest time between two counts. Unit: milliseconds. (Our choice.) */
const countMs = 500;

/** Counts the uncertain tables after a while: the server reads all of their entities. */
const countSoon = paced(async () => {
  const [name, names] = [account.value?.name, [...uncertain]];
  uncertain.clear();
  if (name === undefined) return;
  counting++;
  // A table that is gone, or a server that does not answer, is shown elsewhere.
  const isAll = names.length === tables.value?.length;
  const wishes = isAll ? [{ account: name }] : names.map((table) => ({ account: name, table }));
  await Promise.allSettled(wishes.map(countTables));
  counting--;
  recount();
}, countMs);

/** Counting has the rights of the owner. */
function recount(): void {
  if (uncertain.size > 0 && reader.value === undefined) countSoon();
}

async function countTables(wish: { readonly account: string; readonly table?: string }): Promise<void> {
  const counted = await server.tables.list({ ...wish, count: true });
  if (account.value?.name !== wish.account) return;
  counts.value = new Map([...counts.value, ...counted.map((one) => [one.name, one.entities ?? 0] as const)]);
}

function countChanges(changes: readonly WrittenChange[]): void {
  const next = new Map(counts.value);
  for (const { account: of, table: named, kind, isNew } of changes) {
    if (of !== account.value?.name || isNew === false) continue;
    const known = next.get(named);
    if (counting > 0 || known === undefined || (kind !== 'delete' && isNew === undefined)) uncertain.add(named);
    else next.set(named, known + (kind === 'delete' ? -1 : 1));
  }
  counts.value = next;
  recount();
}

/** Counts a table after a write of the page, which no stream tells without a journal. */
export function countAgain(name: string | undefined): void {
  if (name !== undefined && !hasJournal.value) uncertain.add(name);
  recount();
}

/** Shows a table from its beginning. */
export function openTable(name: string): void {
  go({ tab: 'data', item: name, params: new Map() });
}
