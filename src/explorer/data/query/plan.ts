import { computed, signal } from '@preact/signals';
import type { LogEntry } from '../../../insight/journal/log-entry.js';
import type { ExplainedFilter } from '../../../insight/why/filter/explained-filter.js';
import { ControlError, server, serverUntil } from '../../client/control-client.js';
import { progress } from '../rows.js';

/** How the cloud finds the entities of the query, or why the service refuses it; undefined until it is known. */
export const plan = signal<ExplainedFilter | undefined>(undefined);

/** How many entities the server has read for each request of the query, as far as its journal tells. */
const costs = signal<ReadonlyMap<string, number | undefined>>(new Map());

/** How many entities this server has read for the query; undefined if its journal does not know each request. */
export const entitiesRead = computed(() => {
  const known = progress.value.requestIds.map((id) => costs.value.get(id));
  return known.every((read) => read !== undefined) ? known.reduce((sum, read) => sum + read, 0) : undefined;
});

/** How often the journal is asked for a request that it does not have yet. Ours: it is kept just after its answer. */
const triesMax = 5;

/** Asks how the cloud finds the entities of a filter. It costs the server no read. */
export async function explain(filter: string, signal?: AbortSignal): Promise<ExplainedFilter> {
  return serverUntil(signal).explain(filter);
}

/** Explains the query that is run. If the server cannot, nothing is shown. */
export async function explainQuery(filter: string): Promise<void> {
  plan.value = undefined;
  plan.value = await explain(filter).catch(() => undefined);
}

/** Asks the journal for the requests of a query that it was not asked for yet. */
export async function loadCost(requestIds: readonly string[]): Promise<void> {
  const asked = requestIds.filter((id) => !costs.value.has(id));
  const found = await Promise.all(
    asked.map(async (id) => [id, (await findEntry(id, triesMax))?.EntitiesRead] as const),
  );
  const kept = [...costs.value].filter(([id]) => progress.value.requestIds.includes(id));
  costs.value = new Map([...kept, ...found]);
}

async function findEntry(requestId: string, tries: number): Promise<LogEntry | undefined> {
  try {
    return (await server.requests.show(requestId)).request;
  } catch (error) {
    if (!(error instanceof ControlError) || error.status !== 404 || tries <= 1) return undefined;
    return findEntry(requestId, tries - 1);
  }
}
