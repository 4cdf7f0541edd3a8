import type { ExplainedFilter } from '../../../insight/why/filter/explained-filter.js';
import { useAnswer } from '../../parts/answer.js';
import { ClassMark, countOf } from '../../parts/list.js';
import { askJournal, server, serverUntil } from '../../wire/control-client.js';
import { loadedEntities, progress } from '../rows.js';
import { filter } from './query.js';

/** Explains how the cloud finds the entities of a filter, or why the service rejects it. */
export function useExplained(filter: string, pauseMs?: number): ExplainedFilter | undefined {
  return useAnswer(filter, (text, signal) => serverUntil(signal).explain(text), pauseMs);
}

/** Number of entities that the server has read for each request; undefined if its journal does not know. */
const costs = new Map<string, Promise<number | undefined>>();

function costOf(id: string): Promise<number | undefined> {
  const cost = costs.get(id) ?? askJournal(() => server.requests.show(id)).then((one) => one?.request.EntitiesRead);
  costs.set(id, cost);
  return cost;
}

/** Returns the number of entities that the server has read for these requests; undefined if its journal does not know each of them. */
async function readBy(ids: string): Promise<number | undefined> {
  const known = await Promise.all(ids.split(' ').map(costOf));
  return known.reduce((sum, one) => (sum === undefined || one === undefined ? undefined : sum + one), 0);
}

/** The cost of the query: how the cloud finds the entities, and the work of this server so far. It opens the plan. */
export function Cost() {
  const { requestIds, emptyPages, ms } = progress.value;
  const [pages, returned] = [requestIds.length, loadedEntities.value.length];
  const known = useExplained(filter.value);
  const read = useAnswer(requestIds.join(' ') || undefined, readBy);
  if (!known || known.isRejected) return null;
  // An opened table is read from its start, a page at a time, which is not a mistake.
  const isOpened = filter.value === '' && known.class === 'table-scan';
  return (
    <section class="cost" aria-label="Cost of the query">
      <details>
        <summary class="pair">
          {isOpened ? <span>Whole table</span> : <ClassMark name={known.class} />}
          {pages > 0 && (
            <span class="facts pair">
              {read !== undefined && <span>{read.toLocaleString('en')} read</span>}
              <span>{countOf(pages, 'page')}</span>
              {emptyPages > 0 && <span>{countOf(emptyPages, 'empty page')}</span>}
              <span title="Here. The cloud takes longer.">{ms < 10 ? ms.toFixed(1) : Math.round(ms)} ms</span>
            </span>
          )}
        </summary>
        <div class="plan floating">
          <h2>Query plan</h2>
          <p>
            {known.text} {known.advice}
          </p>
          <p>
            This server reads{' '}
            {known.ranges.length === 0 ? 'nothing.' : known.ranges.map((range) => <code key={range}>{range}</code>)}
          </p>
          <p>
            Returned: {returned.toLocaleString('en')}. Each page is a request, and a transaction that the cloud bills.
            The cloud takes longer than this server.
          </p>
        </div>
      </details>
    </section>
  );
}
