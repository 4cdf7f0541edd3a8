/* The tab "coach". */
import { useEffect } from 'preact/hooks';
import { Empty } from '../parts/empty.js';
import { mayChange } from '../shell/session.js';
import { FindingCard } from './finding-card.js';
import { clearFindings, isCoachOff, report, watchCoach } from './findings.js';
import { QueryTable } from './query-table.js';

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
      <div class="toolbar">
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
      <div class="coach-content">
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
