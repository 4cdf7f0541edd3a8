import { signal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { CoachAnswer } from '../../client/calls.js';
import type { ShapeUsage } from '../../insight/shapes/query-shapes.js';
import { ControlError, server } from '../client/control-client.js';
import { showDone, showError } from '../model/notices.js';
import { mayChange } from '../model/session.js';
import { ClassMark, Empty } from '../parts/list.js';
import { FindingCard } from './finding-card.js';

/** The tab Coach: where programs work against the design of the service, and what to do. */
export default function CoachTab() {
  useEffect(watchCoach, []);
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
          <button type="button" onClick={() => void clearFindings()}>
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

/** How many shapes are listed. Ours: those that read most come first. */
const shownMax = 50;

/** What the queries of each shape have cost, those that read most first. */
function QueryTable() {
  if (queries.value.length === 0) return null;
  return (
    <section class="query-table" aria-labelledby="query-table-title">
      <h2 id="query-table-title">Queries by entities read</h2>
      <table class="list">
        <thead>
          <tr>
            <th scope="col">Table</th>
            <th scope="col">Query</th>
            <th scope="col">Class</th>
            <th scope="col" class="number">
              Calls
            </th>
            <th scope="col" class="number">
              Read
            </th>
            <th scope="col" class="number">
              Returned
            </th>
          </tr>
        </thead>
        <tbody>
          {queries.value.slice(0, shownMax).map((query) => (
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

/** How often the coach is asked while the user looks. Unit: milliseconds. Ours. */
const askMs = 4000;

/** What the coach has found; undefined before it has answered. */
const report = signal<CoachAnswer | undefined>(undefined);

/** What the queries of each shape have cost, the most expensive first. */
const queries = signal<readonly ShapeUsage[]>([]);

/** Whether the server has no coach. */
const isCoachOff = signal(false);

/** Asks the coach again and again until the returned function is called. A hidden page does not ask. */
function watchCoach(): () => void {
  const ask = () => {
    if (document.visibilityState === 'visible') void askCoach();
  };
  ask();
  const timer = setInterval(ask, askMs);
  return () => clearInterval(timer);
}

/** Has the coach forget what it found, as after a warm-up. */
async function clearFindings(): Promise<void> {
  try {
    await server.coach.clear();
    await askCoach();
    showDone('The findings were cleared.');
  } catch (error) {
    showError(error);
  }
}

async function askCoach(): Promise<void> {
  try {
    const found = await server.coach.show();
    report.value = found;
    queries.value = found.queries;
  } catch (error) {
    if (error instanceof ControlError && error.status === 404) isCoachOff.value = true;
    else if (report.value === undefined) showError(error);
  }
}
