import { ClockFault, type TestClock } from '../clock/test-clock.js';
import type { Config } from '../config.js';
import { readDuration } from '../duration.js';
import { controlRoot } from '../wire/reserved-endpoints.js';
import { answerJson, type ControlRow } from './control-row.js';
import { FieldFault } from './read-fields.js';

/** The clock of a server, and the settings that decide whether it may be changed. */
export interface OwnClock {
  readonly clock: TestClock;
  readonly config: Pick<Config, 'inMemory' | 'database' | 'allowTestClock'>;
}

const path = `${controlRoot}/clock`;

/** Returns the rows of the clock by which a server stamps entities and checks signatures. */
export function clockRows({ clock, config }: OwnClock): readonly ControlRow[] {
  const forbidden = whyForbidden(config);
  return [
    {
      method: 'GET',
      path,
      purpose: 'the clock by which entities are stamped and signatures checked',
      run: () => answerJson(200, clock.state()),
    },
    {
      method: 'POST',
      path,
      purpose: 'sets that clock, in memory only: {"freeze": true or an instant, "advance": "1h", "resume": true}',
      takes: 'json',
      run: ({ body }) => {
        if (forbidden !== undefined) return answerJson(403, { error: forbidden });
        try {
          change(clock, body);
        } catch (error) {
          if (error instanceof ClockFault) throw new FieldFault(error.message);
          throw error;
        }
        return answerJson(200, clock.state());
      },
    },
  ];
}

/**
 * Returns why the clock may not be changed; undefined if it may. Data that outlives the server would keep a clock that was moved
 * ahead for good, and a database stamps entities by its own clock.
 */
function whyForbidden({ inMemory, database, allowTestClock }: OwnClock['config']): string | undefined {
  if (database) return 'With --database, the clock of the database stamps entities. It cannot be changed.';
  if (inMemory || allowTestClock) return undefined;
  return 'The data outlives this server, and a changed clock stays in it. Use --inMemoryPersistence, or allow it with --allowTestClock.';
}

/** Changes a clock as a body says: freezes, then advances; or resumes. Errors: FieldFault, ClockFault. */
function change(clock: TestClock, body: unknown): void {
  const { freeze, advance, resume } = fieldsOf(body);
  if (freeze === undefined && advance === undefined && resume === undefined) {
    throw new FieldFault('Send freeze, advance or resume, as {"advance":"1h"}.');
  }
  if (resume !== undefined && freeze !== undefined) throw new FieldFault('Send freeze or resume, not both.');
  const ms = advance === undefined ? 0 : durationOf(advance);
  if (freeze !== undefined) clock.freeze(freeze === true ? undefined : instantOf(freeze), ms);
  else clock.advance(ms);
  if (resume !== undefined) clock.resume();
}

interface ClockFields {
  readonly freeze?: unknown;
  readonly advance?: unknown;
  readonly resume?: unknown;
}

function fieldsOf(body: unknown): ClockFields {
  const isObject = typeof body === 'object' && body !== null && !Array.isArray(body);
  const stray = isObject ? Object.keys(body).find((name) => !['freeze', 'advance', 'resume'].includes(name)) : '';
  if (stray === undefined) return body as ClockFields;
  throw new FieldFault('Send a JSON object with freeze, advance or resume.');
}

function durationOf(value: unknown): number {
  const ms = typeof value === 'string' ? readDuration(value) : undefined;
  if (ms !== undefined) return ms;
  throw new FieldFault('advance must be a length of time, as 90s, 5m, 1h or 7d.');
}

function instantOf(value: unknown): number {
  const isInstant =
    typeof value === 'string' && /^\d{4}-\d\d-\d\d(?:T\d\d:\d\d(?::\d\d(?:\.\d{1,3})?)?Z)?$/.test(value);
  const instant = isInstant ? Date.parse(value) : Number.NaN;
  if (Number.isFinite(instant)) return instant;
  throw new FieldFault('freeze must be true or an instant in UTC, as 2030-01-31 or 2030-01-31T12:00:00Z.');
}
