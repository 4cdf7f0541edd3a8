import { signal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { CoachAnswer } from '../../client/calls.js';
import { showDone, showError } from '../model/notices.js';
import { poll } from '../model/poll.js';
import { mayChange } from '../model/session.js';
import { ClassMark, Empty, TableHead } from '../parts/list.js';
import { isMissing, server } from '../wire/control-client.js';
import { Findings, queryOf } from './finding.js';

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
      <div class="columns">
        {findings.length === 0 ? (
          <Empty title={usage.requests === 0 ? 'No requests yet' : 'No findings'}>
            <p>
              {usage.requests === 0
                ? 'Run a program against this server. The coach reports requests that would be slow or rejected in Azure.'
                : 'The requests so far suit the design of the service.'}
            </p>
          </Empty>
        ) : (
          <Findings findings={findings} />
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
                <code>{queryOf(query)}</code>
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
