import { signal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { CoachAnswer } from '../../client/calls.js';
import type { Finding } from '../../insight/coach/finding.js';
import { showDone, showError } from '../model/notices.js';
import { poll } from '../model/poll.js';
import { hrefOf } from '../model/route.js';
import { account, mayChange } from '../model/session.js';
import { ClassMark, countOf, Empty, TableHead } from '../parts/list.js';
import { isMissing, server } from '../wire/control-client.js';

/** The tab Coach: requests that are slow or costly in Azure, and the fix. */
export default function CoachTab() {
  useEffect(() => poll(askCoach, askMs), []);
  if (isCoachOff.value) {
    return (
      <Empty title="The coach is off">
        <p>
          Start the server without <code>--journal 0</code>. The coach watches the requests of programs, never those of
          this page.
        </p>
      </Empty>
    );
  }
  if (!report.value) return null;
  const { usage, findings } = report.value;
  return (
    <div class="coach">
      <div class="toolbar line">
        <dl class="numbers">
          <Total name="requests" value={usage.requests} />
          <Total name="entities read" value={usage.read} />
          <Total name="returned" value={usage.returned} />
        </dl>
        <span class="space" />
        {mayChange.value && (
          <button type="button" onClick={() => clearFindings().catch(showError)}>
            Begin again
          </button>
        )}
      </div>
      <div class="column">
        {findings.length === 0 ? (
          <Empty title={usage.requests === 0 ? 'No requests yet' : 'No findings'}>
            <p>
              {usage.requests === 0
                ? 'Run a program against this server. The coach reports requests that would be slow or rejected in Azure.'
                : 'The requests so far suit the design of the service.'}
            </p>
          </Empty>
        ) : (
          findings.map((finding) => (
            <FindingCard
              key={`${finding.rule} ${finding.cause} ${finding.account} ${finding.shape}`}
              finding={finding}
            />
          ))
        )}
        <QueryTable />
      </div>
    </div>
  );
}

function Total({ name, value }: { readonly name: string; readonly value: number }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{value.toLocaleString('en')}</dd>
    </div>
  );
}

/** Maximum number of listed shapes. (Our choice: those that read most come first.) */
const shownMax = 50;

const numbers = ['Calls', 'Read', 'Returned'];

/** The cost of the queries of each shape, those that read most first. */
function QueryTable() {
  const queries = report.value?.queries ?? [];
  if (queries.length === 0) return null;
  return (
    <section class="query-table" aria-labelledby="query-table-title">
      <h2 id="query-table-title">Queries by entities read</h2>
      <table class="list">
        <TableHead columns={['Table', 'Query', 'Class', ...numbers]} numbers={numbers} />
        <tbody>
          {queries.slice(0, shownMax).map((query) => (
            <tr key={`${query.table} ${query.shape}`}>
              <td>{query.table}</td>
              <td class="shape">
                <code>{query.shape}</code>
              </td>
              <td>
                <ClassMark name={query.class} />
              </td>
              <td class="number">{query.calls.toLocaleString('en')}</td>
              <td class="number">{query.read.toLocaleString('en')}</td>
              <td class="number">{query.returned.toLocaleString('en')}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

/** How often the page polls the coach. Unit: milliseconds. (Our choice.) */
const askMs = 4000;

/** The findings; undefined until the coach has answered. */
const report = signal<CoachAnswer | undefined>(undefined);

/** Whether the server has no coach. */
const isCoachOff = signal(false);

async function clearFindings(): Promise<void> {
  await server.coach.clear();
  await askCoach();
  showDone('The findings were cleared.');
}

async function askCoach(): Promise<void> {
  try {
    report.value = await server.coach.show();
  } catch (error) {
    if (!isMissing(error)) throw error;
    isCoachOff.value = true;
  }
}

/** The label and the color of each severity. */
const severities = {
  serious: { label: '✕ serious', kind: 'bad' },
  warn: { label: '▲ warning', kind: 'warn' },
  info: { label: 'hint', kind: '' },
} as const;

/** The design guide, whose chapters can be found by name. */
const guide = 'https://learn.microsoft.com/azure/storage/tables/table-storage-design-guide';

/** A finding: its place, its cost, the fix, and the requests that show it. */
function FindingCard({ finding }: { readonly finding: Finding }) {
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
  return <a href={hrefOf({ tab: 'requests', item: id })}>{label}</a>;
}

function queryHref(table: string, filter: string): string {
  return hrefOf({ account: account.value?.name, tab: 'data', item: table, params: new Map([['filter', filter]]) });
}
