import { useEffect } from 'preact/hooks';
import type { ClockState } from '../../client/calls.js';
import { clock } from '../model/conditions.js';
import { mayChange } from '../model/session.js';
import { Section } from '../parts/section.js';
import { server } from '../wire/control-client.js';
import { DifferenceSection } from './difference.js';
import { FaultSection } from './faults.js';
import { change, known, watchState } from './known.js';
import { BranchSection, ResetSection, SnapshotSection } from './sections.js';

/** The tab State: a clean, known state at will, and faults on demand. */
export default function StateTab() {
  useEffect(watchState, []);
  if (!known.value) return null;
  return (
    <div class="columns">
      <div>
        <SnapshotSection {...known.value} />
        <BranchSection {...known.value} />
        <ResetSection {...known.value} />
      </div>
      <div>
        <FaultSection />
        <ClockSection />
        <DifferenceSection {...known.value} />
      </div>
    </div>
  );
}

/** The clock: freeze, move forward, resume. */
function ClockSection() {
  if (!clock.value) return null;
  const { now, frozen } = clock.value;
  const moves: readonly (readonly [label: string, move: () => Promise<ClockState>])[] = [
    frozen ? ['Resume', server.clock.resume] : ['Freeze', server.clock.freeze],
    ['+ 1 minute', () => server.clock.advance('1m')],
    ['+ 1 hour', () => server.clock.advance('1h')],
    ['+ 1 day', () => server.clock.advance('1d')],
  ];
  return (
    <Section
      title="Clock"
      about="The time by which entities are stamped and signatures end. It can be frozen and moved forward, in memory only, and never goes back."
      command="clock advance 1h"
    >
      <div class="line">
        <code>{now}</code>
        {frozen && <span class="mark warn">frozen</span>}
        {mayChange.value &&
          moves.map(([label, move]) => (
            <button key={label} type="button" onClick={() => void change(move, (set) => `The clock is at ${set.now}.`)}>
              {label}
            </button>
          ))}
      </div>
    </Section>
  );
}
