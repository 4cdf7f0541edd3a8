import { signal } from '@preact/signals';
import type { ExplainedFilter } from '../../explain/explained-filter.js';
import type { LogEntry } from '../../journal/log-entry.js';
import { askControl, ControlError } from '../client/control-client.js';
import { progress } from './rows.js';

/** How the cloud finds the entities of the query, or why the service refuses it; undefined until it is known. */
export const plan = signal<ExplainedFilter | undefined>(undefined);

/** How many entities this server has read for the query, as far as its journal tells. */
export const entitiesRead = signal<number | undefined>(undefined);

/** How often the journal is asked for a request that it does not have yet. Ours: it is kept just after its answer. */
const triesMax = 5;

/** Asks how the cloud finds the entities of a filter. It costs the server no read. */
export async function explain(filter: string, signal?: AbortSignal): Promise<ExplainedFilter> {
  return askControl('/explain', { method: 'POST', body: { filter }, signal });
}

/** Explains the query that is run. If the server cannot, nothing is shown. */
export async function explainQuery(filter: string): Promise<void> {
  plan.value = undefined;
  plan.value = await explain(filter).catch(() => undefined);
}

/** Adds up what the journal tells of the requests of a query. */
export async function loadCost(requestIds: readonly string[]): Promise<void> {
  entitiesRead.value = undefined;
  const entries = await Promise.all(requestIds.map((id) => findEntry(id, triesMax)));
  if (progress.value.requestIds !== requestIds) return;
  const known = entries.flatMap((entry) => entry?.EntitiesRead ?? []);
  entitiesRead.value = known.length === requestIds.length ? known.reduce((sum, read) => sum + read, 0) : undefined;
}

async function findEntry(requestId: string, tries: number): Promise<LogEntry | undefined> {
  try {
    return await askControl<LogEntry>(`/requests/${requestId}`);
  } catch (error) {
    if (!(error instanceof ControlError) || error.status !== 404 || tries <= 1) return undefined;
    return findEntry(requestId, tries - 1);
  }
}
