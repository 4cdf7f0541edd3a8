import type { Finding } from '../../insight/coach/finding.js';
import { hrefOf, route, setParams } from '../model/route.js';
import { account } from '../model/session.js';
import { ClassMark, countOf } from '../parts/list.js';

/** The label and the color of each severity. */
const severities = {
  serious: ['✕ serious', 'bad'],
  warn: ['▲ warning', 'warn'],
  info: ['hint', ''],
} as const;

/** The design guide, whose chapters can be found by name. */
const guide = 'https://learn.microsoft.com/azure/storage/tables/table-storage-design-guide';

/** The findings, one line each. The address has the one that is open. */
export function Findings({ findings }: { readonly findings: readonly Finding[] }) {
  const wanted = route.value.params.get('finding');
  return (
    <ul class="things" aria-label="Findings">
      {findings.map((finding) => {
        const { rule, cause, account: of, shape, severity, title, table } = finding;
        const key = [rule, cause, of, shape].join(' ');
        const [label, color] = severities[severity];
        return (
          <li key={key}>
            <details
              name="finding"
              open={key === wanted}
              onToggle={({ currentTarget: { open } }) => {
                if (open || route.value.params.get('finding') === key) setParams({ finding: open ? key : undefined });
              }}
            >
              <summary>
                <span class={`mark ${color}`}>{label}</span> {title}{' '}
                <code class="faint">
                  {table} {queryOf(finding)}
                </code>
              </summary>
              <Advice finding={finding} />
            </details>
          </li>
        );
      })}
    </ul>
  );
}

/** Returns the query of a shape without the name of its table, with which shapes begin, in lower case. */
export function queryOf({ table, shape }: { readonly table: string; readonly shape: string }): string {
  return shape.toLowerCase().startsWith(`${table.toLowerCase()} `) ? shape.slice(table.length + 1) : shape;
}

/** The cost of a finding, the fix, and the requests that show it. */
function Advice({ finding }: { readonly finding: Finding }) {
  const { rule, cause, note, costs, advice, chapter, table, calls, read, returned, marks, example } = finding;
  const { rewritten = [], firstRequest, worstRequest } = finding;
  return (
    <div class="strings">
      {[note, costs, advice].map((text) => text !== undefined && <p key={text}>{text}</p>)}
      <p>
        {finding.class && <ClassMark name={finding.class} />} Seen {countOf(calls, 'time')} in {finding.account}
        {read > 0 && `, read ${countOf(read, 'entity', 'entities')} for ${returned.toLocaleString('en')} returned`}
        {marks.length > 0 && `, in ${marks.join(', ')}`}
      </p>
      {rewritten.length > 0 && (
        <div class="reason good">
          Send {rewritten.length === 1 ? 'this' : 'these'} instead:
          {rewritten.map((filter) => (
            <a key={filter} href={queryHref(table, filter)}>
              <code>{filter}</code>
            </a>
          ))}
        </div>
      )}
      <p class="line">
        {example !== undefined && <a href={queryHref(table, example)}>Open the query</a>}
        <a href={hrefOf({ tab: 'requests', item: firstRequest })}>First request</a>
        {worstRequest !== firstRequest && (
          <a href={hrefOf({ tab: 'requests', item: worstRequest })}>Most expensive request</a>
        )}
        {chapter !== undefined && (
          <a href={guide} target="_blank" rel="noreferrer">
            Design guide: {chapter}
          </a>
        )}
        <code class="faint">{cause === undefined ? rule : `${rule}/${cause}`}</code>
      </p>
    </div>
  );
}

function queryHref(table: string, filter: string): string {
  return hrefOf({ account: account.value?.name, tab: 'data', item: table, params: new Map([['filter', filter]]) });
}
