import { useEffect } from 'preact/hooks';
import type { ClockState } from '../../client/calls.js';
import { clock } from '../model/conditions.js';
import { mayChange } from '../model/session.js';
import { Section } from '../parts/section.js';
import { server } from '../wire/control-client.js';
import { BranchSection } from './branch-section.js';
import { DifferenceSection } from './difference-section.js';
import { FaultSection } from './fault-section.js';
import { change, isKnown, watchState } from './known.js';
import { ResetSection } from './reset-section.js';
import { SnapshotSection } from './snapshot-section.js';

/** The tab State: a clean, known state at will, and faults on demand. */
export default function StateTab() {
  useEffect(watchState, []);
  if (!isKnown.value) return null;
  return (
    <div class="columns">
      <div>
        <SnapshotSection />
        <BranchSection />
        <ResetSection />
      </div>
      <div>
        <FaultSection />
        <ClockSection />
        <DifferenceSection />
      </div>
    </div>
  );
}

/** The choices for moving the clock. */
const steps: readonly (readonly [label: string, length: string])[] = [
  ['+ 1 minute', '1m'],
  ['+ 1 hour', '1h'],
  ['+ 1 day', '1d'],
];

/** The clock: freeze, move forward, resume. */
function ClockSection() {
  if (!clock.value) return null;
  const { now, frozen } = clock.value;
  return (
    <Section
      title="Clock"
      about="The time by which entities are stamped and signatures end. It can be frozen and moved forward, in memory only, and never goes back."
      command="clock advance 1h"
    >
      <div class="line">
        <code>{now}</code>
        {frozen && <span class="mark warn">frozen</span>}
        {mayChange.value && (
          <>
            <button
              type="button"
              onClick={() => void set(() => (frozen ? server.clock.resume() : server.clock.freeze()))}
            >
              {frozen ? 'Resume' : 'Freeze'}
            </button>
            {steps.map(([label, length]) => (
              <button type="button" key={length} onClick={() => void set(() => server.clock.advance(length))}>
                {label}
              </button>
            ))}
          </>
        )}
      </div>
    </Section>
  );
}

async function set(call: () => Promise<ClockState>): Promise<void> {
  await change(call, ({ now }) => `The clock is at ${now}.`);
}
