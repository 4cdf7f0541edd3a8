import { computed, effect, signal, untracked } from '@preact/signals';
import type { ListedTable, ServerEvent, WrittenChange } from '../../client/calls.js';
import { reader } from '../model/identities.js';
import { hasJournal, listen } from '../model/live.js';
import { showError } from '../model/notices.js';
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
    await countTables({ account: name });
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

/** Follows the tables that programs create and delete, and the numbers of their entities, until the returned function is called. */
export function watchTables(): () => void {
  return listen({
    events(all) {
      const events = all.filter(({ account: of }) => of === undefined || of === account.value?.name);
      // A change of the whole state. Entities that are written one by one are counted below.
      if (events.some(({ kind }) => ['reset', 'restored', 'undone'].includes(kind))) void loadTables();
      else if (events.length > 0) void listAgain(events);
    },
    changes: countChanges,
    missed: () => void loadTables(),
  });
}

/** Lists the tables again. A new one is empty; counting all of them would read all entities each time a program creates a table. */
async function listAgain(events: readonly ServerEvent[]): Promise<void> {
  const name = account.value?.name;
  if (name === undefined || reader.value !== undefined) return;
  const listed = await server.tables.list({ account: name }).catch(() => undefined);
  if (!listed || account.value?.name !== name) return;
  const next = new Map(counts.value);
  for (const { kind, table: named } of events) if (kind === 'table-created' && named) next.set(named, 0);
  tables.value = listed;
  counts.value = next;
  if (!hasJournal.value) for (const event of events) if (event.table !== undefined) uncertain.add(event.table);
  recount();
}

/** Tables whose numbers are not known exactly: a write did not look whether its entity was there, or came while they were counted. */
const uncertain = new Set<string>();

/** Number of counts that run. */
let counting = 0;
let isRecountPlanned = false;

/** Shortest time before a recount. Unit: milliseconds. (Our choice.) */
const recountMsMin = 500;

/** How long the last recount has taken. Unit: milliseconds. */
let recountMs = 0;

async function countTables(wish: { readonly account: string; readonly table?: string }): Promise<void> {
  counting++;
  try {
    const counted = await server.tables.list({ ...wish, count: true });
    if (account.value?.name !== wish.account) return;
    const others = wish.table === undefined ? [] : counts.value;
    counts.value = new Map([...others, ...counted.map((one) => [one.name, one.entities ?? 0] as const)]);
  } finally {
    counting--;
    recount();
  }
}

function countChanges(changes: readonly WrittenChange[]): void {
  const next = new Map(counts.value);
  for (const { account: of, table: named, kind, isNew } of changes) {
    if (of !== account.value?.name || isNew === false) continue;
    const known = next.get(named);
    if (counting > 0 || known === undefined || (kind !== 'delete' && isNew === undefined)) uncertain.add(named);
    else next.set(named, known + (kind === 'delete' ? -1 : 1));
  }
  if ([...next].some(([name, number]) => counts.value.get(name) !== number)) counts.value = next;
  recount();
}

/** Counts a table after a write of the page, which no stream tells without a journal. */
export function countAgain(name: string | undefined): void {
  if (name !== undefined && !hasJournal.value) uncertain.add(name);
  recount();
}

/** Counts the uncertain tables after a while: it reads all of their entities, so it may take a tenth of the time at most. */
function recount(): void {
  if (isRecountPlanned || uncertain.size === 0 || reader.value !== undefined) return;
  isRecountPlanned = true;
  setTimeout(
    async () => {
      const [name, began, names] = [account.value?.name, performance.now(), [...uncertain]];
      uncertain.clear();
      isRecountPlanned = false;
      // A table that is gone, or a server that does not answer, is shown elsewhere.
      const each = names.map((table) => name !== undefined && countTables({ account: name, table }));
      await Promise.allSettled(each);
      recountMs = performance.now() - began;
    },
    Math.max(recountMsMin, 9 * recountMs),
  );
}

/** Shows a table from its beginning. */
export function openTable(name: string): void {
  go({ tab: 'data', item: name, params: new Map() });
}
