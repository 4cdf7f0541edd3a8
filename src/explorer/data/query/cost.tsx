import { useEffect } from 'preact/hooks';
import { ClassMark, countOf } from '../../parts/list.js';
import { progress } from '../rows.js';
import { entitiesRead, filter, loadCost, plan } from './query.js';

/** The cost of the query: how the cloud finds the entities, and the work of this server so far. It opens the plan. */
export function Cost() {
  const { pages, requestIds, returned, emptyPages, ms } = progress.value;
  useEffect(() => {
    if (requestIds.length > 0) void loadCost(requestIds);
  }, [requestIds]);
  const known = plan.value;
  if (!known || known.isRejected) return null;
  // An opened table is read from its start, a page at a time, which is not a mistake.
  const isOpened = filter.value === '' && known.class === 'table-scan';
  const read = entitiesRead.value;
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
            Returned: {returned.toLocaleString('en')}
            {shareOf(returned, read)}. Each page is a request, and a transaction that the cloud bills. The cloud takes
            longer than this server.
          </p>
        </div>
      </details>
    </section>
  );
}

function shareOf(returned: number, read: number | undefined): string {
  if (read === undefined || read === 0 || returned >= read) return '';
  const share = (returned / read) * 100;
  return ` (${share < 1 ? share.toPrecision(1) : Math.round(share)} %)`;
}
