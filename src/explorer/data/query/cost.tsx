import { useEffect } from 'preact/hooks';
import type { QueryClass } from '../../../insight/queries/query-classes.js';
import { Icon, type IconName } from '../../parts/icon.js';
import { countOf } from '../../parts/list.js';
import { progress } from '../rows.js';
import { entitiesRead, filter, loadCost, plan } from './query.js';

/** The name of each class, its severity, and the shape that says the same without color. */
const words: Readonly<
  Record<QueryClass, { readonly name: string; readonly kind: '' | 'warn' | 'bad'; readonly icon: IconName }>
> = {
  none: { name: 'Nothing', kind: '', icon: 'check' },
  point: { name: 'Point', kind: '', icon: 'check' },
  'one-partition': { name: 'One partition', kind: '', icon: 'check' },
  'row-range': { name: 'Row range', kind: '', icon: 'check' },
  'partition-scan': { name: 'Partition scan', kind: 'warn', icon: 'warning' },
  'partition-range': { name: 'Partition range', kind: 'warn', icon: 'warning' },
  'cross-partition': { name: 'Every partition', kind: 'warn', icon: 'warning' },
  'table-scan': { name: 'Table scan', kind: 'bad', icon: 'error' },
};

/** An opened table is read from its start, a page at a time, which is not a mistake. */
const wholeTable = { name: 'Whole table', kind: '', icon: 'table' } as const;

/** The cost of the query: how the cloud finds the entities, and the work of this server so far. It opens the plan. */
export function Cost() {
  const { pages, requestIds, returned, emptyPages, ms } = progress.value;
  useEffect(() => {
    if (requestIds.length > 0) void loadCost(requestIds);
  }, [requestIds]);
  const known = plan.value;
  if (!known || known.isRejected) return null;
  const { name, kind, icon } = filter.value === '' && known.class === 'table-scan' ? wholeTable : words[known.class];
  const read = entitiesRead.value;
  return (
    <section class="cost" aria-label="Cost of the query">
      <details>
        <summary>
          <span class={kind === '' ? 'pair' : `mark ${kind}`}>
            <Icon name={icon} />
            {name}
          </span>
          {pages > 0 && (
            <span class="facts">
              {read !== undefined && <span>{read.toLocaleString('en')} read</span>}
              <span>{countOf(pages, 'page')}</span>
              {emptyPages > 0 && <span>{countOf(emptyPages, 'empty page')}</span>}
              <span title="Here. The cloud takes longer.">{ms < 10 ? ms.toFixed(1) : Math.round(ms)} ms</span>
            </span>
          )}
        </summary>
        <div class="plan">
          <h3>Query plan</h3>
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
