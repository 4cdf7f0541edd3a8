import { signal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { CoachAnswer } from '../../client/calls.js';
import { hasJournal, listen } from '../model/live.js';
import { showDone, showError } from '../model/notices.js';
import { paced } from '../model/poll.js';
import { mayChange } from '../model/session.js';
import { ClassMark, countOf, JournalOff, TableHead } from '../parts/list.js';
import { Section } from '../parts/section.js';
import { isMissing, server } from '../wire/control-client.js';
import { Findings, queryOf } from './finding.js';

/** The tab Coach: requests that are slow or costly in Azure, and the fix. */
export default function CoachTab() {
  useEffect(() => {
    const ask = paced(askCoach, pauseMs);
    ask();
    return listen({ requests: ask, missed: ask });
  }, []);
  if (!hasJournal.value) return <JournalOff />;
  if (!report.value) return null;
  const { usage, findings, queries } = report.value;
  const clear = () => server.coach.clear().then(askCoach);
  return (
    <div class="columns">
      <Section
        title="Findings"
        about={`${countOf(usage.requests, 'request')}, ${countOf(usage.read, 'entity', 'entities')} read, ${usage.returned.toLocaleString('en')} returned`}
        beside={
          mayChange.value && (
            <button type="button" onClick={() => clear().then(() => showDone('The findings were cleared.'), showError)}>
              Begin again
            </button>
          )
        }
      >
        {findings.length > 0 && <Findings findings={findings} />}
        {findings.length === 0 && (
          <p>
            {usage.requests === 0
              ? 'No requests yet. Run a program against this server: the coach reports requests that would be slow or rejected in Azure.'
              : 'No findings. The requests so far suit the design of the service.'}
          </p>
        )}
      </Section>
      {queries.length > 0 && <QueryTable queries={queries} />}
    </div>
  );
}

/** Maximum number of listed shapes. (Our choice: those that read most come first.) */
const shownMax = 50;

const numbers = ['Calls', 'Read', 'Returned'];

/** The cost of the queries of each shape, those that read most first. */
function QueryTable({ queries }: Pick<CoachAnswer, 'queries'>) {
  return (
    <Section title="Queries by entities read">
      <table class="list">
        <TableHead columns={['Query', 'Class', ...numbers]} numbers={numbers} />
        <tbody>
          {queries.slice(0, shownMax).map((query) => (
            <tr key={`${query.table} ${query.shape}`}>
              <td>
                {query.table} <code>{queryOf(query)}</code>
              </td>
              <td>
                <ClassMark name={query.class} />
              </td>
              {[query.calls, query.read, query.returned].map((count, at) => (
                <td key={numbers[at]} class="number">
                  {count.toLocaleString('en')}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </Section>
  );
}

/** Time between two questions to the coach, which follow the requests. Unit: milliseconds. (Our choice.) */
const pauseMs = 4000;

/** The findings; undefined until the coach has answered. */
const report = signal<CoachAnswer | undefined>(undefined);

async function askCoach(): Promise<void> {
  try {
    report.value = await server.coach.show();
  } catch (error) {
    // Without a journal there is no coach.
    if (!isMissing(error)) showError(error);
  }
}
