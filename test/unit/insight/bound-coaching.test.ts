import { expect, it } from 'vitest';
import { Coach } from '../../../src/insight/coach/coach.js';
import { boundCoaching, requestsInRow, requestsPerSecond } from '../../../src/insight/open-journal.js';
import { type RecordOptions, recordOf } from '../../support/measures/journal-records.js';

/** A coach that is notified of requests through a bound, with a clock. */
function boundedCoach() {
  const coach = new Coach();
  const clock = { ms: 0 };
  let told = 0;
  const observe = boundCoaching(
    coach,
    () => told++,
    () => clock.ms,
  );
  return {
    coach,
    clock,
    /** Makes requests at one moment. Returns of how many the coach was told. */
    request(count: number, options: RecordOptions = {}): number {
      const record = recordOf({ operation: 'Get Entity', ...options });
      told = 0;
      for (let at = 0; at < count; at++) observe(record);
      return told;
    },
  };
}

it('A coach sees every request of a program that makes few, or pauses', () => {
  const { coach, clock, request } = boundedCoach();

  for (let second = 0; second < 100; second++) {
    clock.ms += 1000;
    expect(request(requestsPerSecond)).toBe(requestsPerSecond);
  }
  clock.ms += 60_000;

  expect(request(requestsInRow)).toBe(requestsInRow);
  expect(coach.skipped).toBe(0);
});

it('A coach sees some of the requests of a loaded server, and counts the others', () => {
  const { coach, clock, request } = boundedCoach();
  request(requestsInRow);
  clock.ms += 1;
  request(requestsInRow);
  coach.clear();
  clock.ms += 1000;

  expect(request(20_000)).toBe(requestsPerSecond);
  expect(coach.skipped).toBe(20_000 - requestsPerSecond);
});

it.each([
  { of: 'query', options: { operation: 'Query Entities' } },
  { of: 'transaction', options: { operation: 'Entity Group Transaction' } },
  { of: 'rejected request', options: { status: 404 } },
])('A coach sees every $of of a loaded server, so that a budget misses none', ({ options }) => {
  const { coach, request } = boundedCoach();
  request(requestsInRow);

  expect(request(requestsInRow, options)).toBe(requestsInRow);
  expect(coach.skipped).toBe(0);
});

it('A coach still sees requests after the clock was set back', () => {
  const { clock, request } = boundedCoach();
  clock.ms = 86_400_000;
  request(2 * requestsInRow);
  clock.ms = 0;
  request(requestsInRow);
  clock.ms += 1000;

  expect(request(requestsInRow)).toBe(requestsPerSecond);
});
