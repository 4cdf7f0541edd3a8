import type { FaultRule, FaultSummary } from '../../faults/contract.js';
import { faults } from '../model/conditions.js';
import { account, mayChange } from '../model/session.js';
import { Choice, onFields } from '../parts/form.js';
import { countOf } from '../parts/list.js';
import { Lines, Section, showTime } from '../parts/section.js';
import { server } from '../wire/control-client.js';
import { change } from './known.js';

/** Common faults, by their labels. The command line and HTTP offer more. */
const choices: Readonly<Record<string, FaultRule['fault']>> = {
  '503 ServerBusy': 'ServerBusy',
  '500 OperationTimedOut, not applied': 'OperationTimedOut',
  '500 InternalError': 'InternalError',
  '409 TableBeingDeleted': 'TableBeingDeleted',
  '503 at the limits of Azure': 'throttle',
  '412 caused by a rival write': 'rivalWrite',
  'pages without entities': { kind: 'page', ends: 'empty' },
};

/** The operations of a rule. */
const operations = [['every operation', ''] as const, 'read', 'write', 'query', 'insert', 'transaction'];

/** Faults: add a rule for this account, watch its hits, end it. */
export function FaultSection() {
  return (
    <Section
      title="Faults"
      about="A rule makes requests fail as they may in the cloud, so that you see how your program reacts. A rule always ends by itself."
      command={'fault create "op=insert fault=503 times=2"'}
    >
      {mayChange.value && (
        <form class="line" onSubmit={onFields(add)}>
          <Choice name="fault" label="Fault" options={Object.keys(choices)} />
          <Choice name="operation" label="Operation" options={operations} />
          <input name="table" aria-label="Table" placeholder="every table" />
          <label>
            times <input name="times" type="number" min="1" max="10000" value="2" required />
          </label>
          <button type="submit">Add</button>
        </form>
      )}
      <Lines label="Rules" lines={faults.value.map(lineOf)} />
    </Section>
  );
}

function lineOf({ id, fault, when, times, hits, ends, ended }: FaultSummary) {
  const kind = typeof fault === 'string' ? fault : fault.kind === 'error' ? fault.code : fault.kind;
  const end = () => void change(() => server.faults.delete(id), 'The rule was deleted.');
  return {
    key: id,
    name: (
      <>
        <span class={`mark ${ended ? '' : 'warn'}`}>{ended ? 'ended' : 'active'}</span>
        <strong>{kind}</strong>
      </>
    ),
    facts: [
      [when?.account, when?.table, when?.operation].flat().filter(Boolean).join(', ') || 'every request',
      countOf(hits, 'hit') + (times === undefined ? '' : ` of ${times}`),
      ends !== undefined && !ended && `until ${showTime(ends)}`,
    ],
    actions: ended ? [] : [{ label: `End the rule ${id}`, icon: 'close' as const, run: end }],
  };
}

function add(textOf: (name: string) => string): void {
  const wish = { account: account.value?.name, table: textOf('table'), operation: textOf('operation') };
  const filled = Object.entries(wish).filter(([, text]) => text);
  const fault = choices[textOf('fault')] ?? 'ServerBusy';
  const rule: FaultRule = { when: Object.fromEntries(filled), fault, times: Number(textOf('times')) };
  void change(() => server.faults.create(rule), 'The rule is active.');
}
