import type { FaultRule, FaultSummary } from '../../faults/contract.js';
import { faults } from '../model/conditions.js';
import { account, mayChange } from '../model/session.js';
import { Choice, onFields } from '../parts/form.js';
import { IconButton } from '../parts/icon.js';
import { countOf } from '../parts/list.js';
import { Section, showTime, Thing, Things } from '../parts/section.js';
import { server } from '../wire/control-client.js';
import { change } from './known.js';

/** Common faults. The command line and HTTP offer more. */
const choices: ReadonlyMap<string, FaultRule['fault']> = new Map<string, FaultRule['fault']>([
  ['503 ServerBusy', 'ServerBusy'],
  ['500 OperationTimedOut, not applied', 'OperationTimedOut'],
  ['500 InternalError', 'InternalError'],
  ['409 TableBeingDeleted', 'TableBeingDeleted'],
  ['503 at the limits of Azure', 'throttle'],
  ['412 caused by a rival write', 'rivalWrite'],
  ['pages without entities', { kind: 'page', ends: 'empty' }],
]);

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
        <form class="line" onSubmit={onFields((textOf) => void add(textOf))}>
          <Choice name="fault" label="Fault" options={[...choices.keys()]} />
          <Choice name="operation" label="Operation" options={operations} />
          <input name="table" aria-label="Table" placeholder="every table" />
          <label>
            times <input name="times" type="number" min="1" max="10000" value="2" required />
          </label>
          <button type="submit">Add</button>
        </form>
      )}
      <Things label="Rules">
        {faults.value.map((fault) => (
          <FaultLine key={fault.id} fault={fault} />
        ))}
      </Things>
    </Section>
  );
}

function FaultLine({ fault }: { readonly fault: FaultSummary }) {
  const { id, when, times, hits, ends, ended } = fault;
  return (
    <Thing
      buttons={
        mayChange.value &&
        !ended && <IconButton icon="close" label={`End the rule ${id}`} onClick={() => void end(id)} />
      }
    >
      <span class={`mark ${ended ? '' : 'warn'}`}>{ended ? 'ended' : 'active'}</span>
      <strong>{nameOf(fault.fault)}</strong>
      <span class="faint">
        {[when?.account, when?.table, when?.operation].flat().filter(Boolean).join(', ') || 'every request'} ·{' '}
        {countOf(hits, 'hit')}
        {times !== undefined && ` of ${times}`}
        {ends !== undefined && !ended && ` · until ${showTime(ends)}`}
      </span>
    </Thing>
  );
}

function nameOf(fault: FaultSummary['fault']): string {
  if (typeof fault === 'string') return fault;
  return fault.kind === 'error' ? fault.code : fault.kind;
}

async function add(textOf: (name: string) => string): Promise<void> {
  const [table, operation] = [textOf('table'), textOf('operation')];
  const rule: FaultRule = {
    when: {
      ...(account.value && { account: account.value.name }),
      ...(table !== '' && { table }),
      ...(operation !== '' && { operation }),
    },
    fault: choices.get(textOf('fault')) ?? 'ServerBusy',
    times: Number(textOf('times')),
  };
  await change(
    () => server.faults.create(rule),
    () => 'The rule is active.',
  );
}

async function end(id: string): Promise<void> {
  await change(
    () => server.faults.delete(id),
    () => 'The rule was deleted.',
  );
}
