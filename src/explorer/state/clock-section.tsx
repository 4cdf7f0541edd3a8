import type { ClockState } from '../../client/calls.js';
import { server } from '../client/control-client.js';
import { clock } from '../model/conditions.js';
import { mayChange } from '../model/session.js';
import { change } from './known.js';
import { Section } from './section.js';

/** How far the clock can be moved at once. */
const steps: readonly (readonly [label: string, length: string])[] = [
  ['+ 1 minute', '1m'],
  ['+ 1 hour', '1h'],
  ['+ 1 day', '1d'],
];

/** The clock: freeze, move forward, resume. */
export function ClockSection() {
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
