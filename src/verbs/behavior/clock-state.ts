import { flag, name, number, object, type Shape } from '../../schema.js';
import { Refusal, type VerbServer } from '../verb.js';

/** The answer of all verbs of the clock. */
export const ClockState = object('ClockState', 'How the clock of a server stands.', {
  now: name('What it says, in UTC.'),
  frozen: flag('Whether it stands still.'),
  aheadMs: number('How far it is ahead of the real time, in milliseconds.'),
});

/** Returns the line about a clock: `2030-01-31T12:00:00.000Z, frozen`. */
export function clockLines({ now, frozen, aheadMs }: Shape<typeof ClockState>): readonly string[] {
  const ahead = aheadMs === 0 ? 'the real time' : `${aheadMs / 1000} s ahead of the real time`;
  return [`${now}, ${frozen ? 'frozen' : ahead}`];
}

/**
 * Changes the clock of a server. Data that outlives the server would keep a clock that was moved ahead for good, and a database
 * stamps entities by its own clock. Errors: Refusal with the status 403; ClockFault.
 */
export function changeClock(
  { clock: { clock, config } }: VerbServer,
  change: (clock: VerbServer['clock']['clock']) => void,
): Shape<typeof ClockState> {
  if (config.database)
    throw new Refusal(403, 'With --database, the clock of the database stamps entities. It cannot be changed.');
  if (!config.inMemory && !config.allowTestClock) {
    const hint = 'Use --inMemoryPersistence, or allow it with --allowTestClock.';
    throw new Refusal(403, `The data outlives this server, and a changed clock stays in it. ${hint}`);
  }
  change(clock);
  return clock.state();
}
