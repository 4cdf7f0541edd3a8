import type { Finding } from '../../insight/coach/finding.js';
import { hrefOf } from '../model/route.js';
import { account } from '../model/session.js';
import { ClassMark, countOf } from '../parts/list.js';

/** How each severity is called and colored. */
const severities = {
  serious: { label: '✕ serious', kind: 'bad' },
  warn: { label: '▲ warning', kind: 'warn' },
  info: { label: 'hint', kind: '' },
} as const;

/** Where the design guide is, in which each chapter can be found by its name. */
const guide = 'https://learn.microsoft.com/azure/storage/tables/table-storage-design-guide';

/** A finding: its place, its cost, the fix, and the requests that show it. */
export function FindingCard({ finding }: { readonly finding: Finding }) {
  const {
    rule,
    cause,
    severity,
    account: of,
    note,
    title,
    advice,
    chapter,
    table,
    shape,
    calls,
    read,
    returned,
    marks,
    rewritten = [],
  } = finding;
  const { label, kind } = severities[severity];
  const name = cause === undefined ? rule : `${rule}/${cause}`;
  return (
    <section class="card finding" aria-label={`${name}: ${title}`}>
      <header class="line">
        <span class={`mark ${kind}`}>{label}</span>
        <h3>{title}</h3>
        <span class="space" />
        <code class="faint">{name}</code>
      </header>
      {note !== undefined && <p>{note}</p>}
      {finding.costs !== undefined && <p>{finding.costs}</p>}
      <p>{advice}</p>
      <p class="line">
        {finding.class && <ClassMark name={finding.class} />}
        {!shape.startsWith(`${table} `) && <code>{table}</code>}
        <code>{shape}</code>
      </p>
      <p>
        Seen {countOf(calls, 'time')} in {of}
        {read > 0 && `, read ${countOf(read, 'entity', 'entities')} for ${returned.toLocaleString('en')} returned`}
        {marks.length > 0 && `, in ${marks.join(', ')}`}
      </p>
      {rewritten.length > 0 && (
        <div class="rewritten">
          <span>Send {rewritten.length === 1 ? 'this' : 'these'} instead:</span>
          {rewritten.map((filter) => (
            <a key={filter} href={queryHref(table, filter)}>
              <code>{filter}</code>
            </a>
          ))}
        </div>
      )}
      <nav class="line" aria-label={`More about ${name}`}>
        {finding.example !== undefined && <a href={queryHref(table, finding.example)}>Open the query</a>}
        <RequestLink label="First request" id={finding.firstRequest} />
        {finding.worstRequest !== finding.firstRequest && (
          <RequestLink label="Most expensive request" id={finding.worstRequest} />
        )}
        {chapter !== undefined && (
          <a href={guide} target="_blank" rel="noreferrer">
            Design guide: {chapter}
          </a>
        )}
      </nav>
    </section>
  );
}

function RequestLink({ label, id }: { readonly label: string; readonly id: string }) {
  return <a href={hrefOf({ tab: 'requests', item: undefined, params: new Map([['text', id]]) })}>{label}</a>;
}

function queryHref(table: string, filter: string): string {
  return hrefOf({ account: account.value?.name, tab: 'data', item: table, params: new Map([['filter', filter]]) });
}
