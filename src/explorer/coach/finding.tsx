import { signal } from '@preact/signals';
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';
import type { Finding } from '../../insight/coach/finding.js';
import { showError } from '../model/notices.js';
import { hrefOf, route } from '../model/route.js';
import { account } from '../model/session.js';
import { ClassMark, countOf } from '../parts/list.js';
import { isMissing, server } from '../wire/control-client.js';

/** The label and the color of each severity. */
const severities = {
  serious: { label: '✕ serious', kind: 'bad' },
  warn: { label: '▲ warning', kind: 'warn' },
  info: { label: 'hint', kind: '' },
} as const;

/** The design guide, whose chapters can be found by name. */
const guide = 'https://learn.microsoft.com/azure/storage/tables/table-storage-design-guide';

/** The findings, one line each, beside a panel with the chosen one; the first if none is chosen. */
export function Findings({ findings }: { readonly findings: readonly Finding[] }) {
  const wanted = route.value.params.get('finding');
  const chosen = findings.find((finding) => keyOf(finding) === wanted) ?? findings[0];
  if (!chosen) return null;
  return (
    <div class="findings">
      <ul class="things" aria-label="Findings">
        {findings.map((finding) => (
          <li key={keyOf(finding)}>
            <a
              href={hrefOf({ params: new Map([['finding', keyOf(finding)]]) })}
              aria-current={finding === chosen ? 'true' : undefined}
            >
              <SeverityMark finding={finding} />
              <span>{finding.title}</span>
              <code class="faint cut">
                {finding.table} · {queryOf(finding)}
              </code>
            </a>
          </li>
        ))}
      </ul>
      <FindingPanel key={keyOf(chosen)} finding={chosen} isWanted={wanted !== undefined} />
    </div>
  );
}

function keyOf({ rule, cause, account: of, shape }: Finding): string {
  return [rule, cause, of, shape].join(' ');
}

/** Returns the query of a shape without the name of its table, with which shapes begin, in lower case. */
export function queryOf({ table, shape }: { readonly table: string; readonly shape: string }): string {
  return shape.toLowerCase().startsWith(`${table.toLowerCase()} `) ? shape.slice(table.length + 1) : shape;
}

function SeverityMark({ finding }: { readonly finding: Finding }) {
  const { label, kind } = severities[finding.severity];
  return <span class={`mark ${kind}`}>{label}</span>;
}

/** A finding: its place, its cost, the fix, and the requests that show it. */
function FindingPanel({ finding, isWanted }: { readonly finding: Finding; readonly isWanted: boolean }) {
  const { rule, cause, title, note, costs, advice, chapter, table, calls, read, returned, marks, example } = finding;
  const { rewritten = [] } = finding;
  const element = useRef<HTMLElement>(null);
  useLayoutEffect(() => {
    // Below the list in a narrow window.
    if (isWanted) element.current?.scrollIntoView({ block: 'nearest' });
  }, []);
  return (
    <section class="card finding" aria-label="Finding" ref={element}>
      <header class="line">
        <SeverityMark finding={finding} />
        <h2>{title}</h2>
        <span class="space" />
        <code class="faint">{cause === undefined ? rule : `${rule}/${cause}`}</code>
      </header>
      {note !== undefined && <p>{note}</p>}
      {costs !== undefined && <p>{costs}</p>}
      <p>{advice}</p>
      <p class="line">
        {finding.class && <ClassMark name={finding.class} />}
        <code>{table}</code>
        <code>{queryOf(finding)}</code>
      </p>
      <p>
        Seen {countOf(calls, 'time')} in {finding.account}
        {read > 0 && `, read ${countOf(read, 'entity', 'entities')} for ${returned.toLocaleString('en')} returned`}
        {marks.length > 0 && `, in ${marks.join(', ')}`}
      </p>
      {rewritten.length > 0 && (
        <div class="rewritten good">
          <span>Send {rewritten.length === 1 ? 'this' : 'these'} instead:</span>
          {rewritten.map((filter) => (
            <a key={filter} href={queryHref(table, filter)}>
              <code>{filter}</code>
            </a>
          ))}
        </div>
      )}
      <nav class="line" aria-label="More about the finding">
        {example !== undefined && <a href={queryHref(table, example)}>Open the query</a>}
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

/** The requests of findings that the journal no longer has. */
const gone = signal<ReadonlySet<string>>(new Set());

/** A link to a request, or the note that the journal no longer has it. */
function RequestLink({ label, id }: { readonly label: string; readonly id: string }) {
  useEffect(() => {
    server.requests.show(id).catch((error: unknown) => {
      if (isMissing(error)) gone.value = new Set([...gone.value, id]);
      else showError(error);
    });
  }, [id]);
  if (gone.value.has(id)) return <span class="faint">{label}: no longer in the journal</span>;
  return <a href={hrefOf({ tab: 'requests', item: id })}>{label}</a>;
}

function queryHref(table: string, filter: string): string {
  return hrefOf({ account: account.value?.name, tab: 'data', item: table, params: new Map([['filter', filter]]) });
}
