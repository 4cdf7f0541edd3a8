import { expect, it } from 'vitest';
import { Coach } from '../../../src/coach/coach.js';
import { boundCoaching, requestsInRow, requestsPerSecond } from '../../../src/journal/bound-coaching.js';
import { recordOf } from '../../support/journal-records.js';

/** A coach that is told of requests through a bound, with a clock. */
function boundedCoach() {
  const coach = new Coach();
  const clock = { ms: 0 };
  let told = 0;
  const observe = boundCoaching(
    coach,
    () => told++,
    () => clock.ms,
  );
  const record = recordOf({});
  return {
    coach,
    clock,
    /** Makes requests at one moment. Returns of how many the coach was told. */
    request(count: number): number {
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
