import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { ExplainedFilter } from '../../../insight/why/filter/explained-filter.js';
import { ClassMark, countOf } from '../../parts/list.js';
import { askJournal, server, serverUntil } from '../../wire/control-client.js';
import { loadedEntities, progress } from '../rows.js';
import { filter } from './query.js';

/**
 * Explains how the cloud finds the entities of a filter, or why the service rejects it, once it has not changed for a while; undefined until
 * then, and if the server cannot. Unit of `pauseMs`: milliseconds.
 */
export function useExplained(filter: string, pauseMs = 0): ExplainedFilter | undefined {
  const explained = useSignal<ExplainedFilter | undefined>(undefined);
  useEffect(() => {
    const stopper = new AbortController();
    const timer = setTimeout(async () => {
      const answer = await serverUntil(stopper.signal)
        .explain(filter)
        .catch(() => undefined);
      if (!stopper.signal.aborted) explained.value = answer;
    }, pauseMs);
    return () => {
      clearTimeout(timer);
      stopper.abort();
    };
  }, [filter]);
  return explained.value;
}

/** Number of entities that the server has read for each request; undefined if its journal does not know. */
const costs = new Map<string, number | undefined>();

/** Returns the number of entities that the server has read for these requests; undefined if its journal does not know each of them. */
function useRead(requestIds: readonly string[]): number | undefined {
  const read = useSignal<number | undefined>(undefined);
  useEffect(() => {
    let isShown = true;
    const ask = async () => {
      for (const id of requestIds.filter((one) => !costs.has(one))) {
        const entry = await askJournal(() => server.requests.show(id)).catch(() => undefined);
        costs.set(id, entry?.request.EntitiesRead);
      }
      const known = requestIds.flatMap((id) => costs.get(id) ?? []);
      const isKnown = known.length === requestIds.length;
      if (isShown) read.value = isKnown ? known.reduce((sum, one) => sum + one, 0) : undefined;
    };
    void ask();
    return () => {
      isShown = false;
    };
  }, [requestIds]);
  return read.value;
}

/** The cost of the query: how the cloud finds the entities, and the work of this server so far. It opens the plan. */
export function Cost() {
  const { requestIds, emptyPages, ms } = progress.value;
  const [pages, returned] = [requestIds.length, loadedEntities.value.length];
  const known = useExplained(filter.value);
  const read = useRead(requestIds);
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
