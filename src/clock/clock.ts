/** Gives each write a unique Timestamp: UTC text with up to seven fraction digits and no trailing zeros. */
export interface Clock {
  /** Returns milliseconds since 1970, for the age of signatures and the dates of answers. */
  now(): number;
  /** Returns a Timestamp later than all Timestamps returned before. */
  nextTimestamp(): string;
  /** Returns the last Timestamp, in a form that `resumeAfter` accepts. */
  last(): string;
  /** Makes every further Timestamp later than this one. */
  resumeAfter(timestamp: string): void;
}

const ticksPerMillisecond = 10_000;
const ticksPerSecond = 1000 * ticksPerMillisecond;

/**
 * Creates a clock from a source of milliseconds since 1970. Timestamps are strictly increasing, so that no ETag is
 * issued twice. If the source stops or goes back, the clock advances by single ticks of 100 ns.
 *
 * Source: data-model 5.
 */
export function createClock(milliseconds: () => number = () => Date.now()): Clock {
  // Two integers, because the number of 100 ns ticks since 1601 is not a safe integer.
  let lastMillisecond = 0;
  let lastTick = 0;
  let second = -1;
  let secondText = '';

  return {
    now: milliseconds,

    nextTimestamp() {
      const now = milliseconds();
      if (now > lastMillisecond) {
        lastMillisecond = now;
        lastTick = spread(now);
      } else if (++lastTick === ticksPerMillisecond) {
        lastMillisecond++;
        lastTick = 0;
      }
      return this.last();
    },

    last() {
      const ofSecond = Math.floor(lastMillisecond / 1000);
      if (ofSecond !== second) {
        second = ofSecond;
        secondText = new Date(ofSecond * 1000).toISOString().slice(0, 19);
      }
      const ticks = (lastMillisecond - ofSecond * 1000) * ticksPerMillisecond + lastTick;
      return ticks === 0 ? `${secondText}Z` : `${secondText}.${fractionOf(ticks)}Z`;
    },

    resumeAfter(timestamp) {
      const [whole = '', fraction = ''] = timestamp.slice(0, -1).split('.');
      const ticks = Number(fraction.padEnd(7, '0'));
      const millisecond = Date.parse(`${whole}Z`) + Math.floor(ticks / ticksPerMillisecond);
      const tick = ticks % ticksPerMillisecond;
      if (millisecond < lastMillisecond || (millisecond === lastMillisecond && tick <= lastTick)) return;
      lastMillisecond = millisecond;
      lastTick = tick;
    },
  };
}

/** Returns ticks of a second as the digits of a fraction, without trailing zeros. */
function fractionOf(ticks: number): string {
  const digits = String(ticksPerSecond + ticks).slice(1);
  return ticks % 10 === 0 ? digits.replace(/0+$/, '') : digits;
}

/** Returns the first tick of a millisecond, spread so that fractions have seven digits, as they have in the service. */
function spread(millisecond: number): number {
  return (millisecond * 7919) % (ticksPerMillisecond / 2);
}
