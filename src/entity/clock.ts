/** Gives each write its instant. Text is canonical: UTC, up to seven fraction digits, trailing zeros cut. */
export interface Clock {
  /** Milliseconds since 1970, for the age of signatures and answers' dates. */
  now(): number;
  /** A Timestamp later than every one given before. */
  nextTimestamp(): string;
  /** The last Timestamp given, in a form `resumeAfter` takes. */
  last(): string;
  /** Makes every Timestamp from now on later than this one. */
  resumeAfter(timestamp: string): void;
}

const ticksPerMillisecond = 10_000;

/**
 * A clock on top of any source of milliseconds. Two timestamps never meet: where the source stands still or steps
 * back the clock goes on by single ticks of 100 ns, so that no ETag is ever issued twice.
 *
 * Source: data model, "Timestamp and ETag".
 */
export function createClock(milliseconds: () => number = Date.now): Clock {
  // The instant as two safe integers: 100 ns ticks since 1601 do not fit one.
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
      return ticks === 0 ? `${secondText}Z` : `${secondText}.${String(ticks).padStart(7, '0').replace(/0+$/, '')}Z`;
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

/** Where within its millisecond the first timestamp falls; spread, so that fractions have seven digits as in life. */
function spread(millisecond: number): number {
  return (millisecond * 7919) % (ticksPerMillisecond / 2);
}
