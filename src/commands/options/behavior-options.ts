import { readFaultSeed, readMilliseconds, readSwitch, readText } from './read-value.js';

/** The settings by which a server behaves otherwise than it usually does: rows of the option table. */
export const behaviorOptions = {
  faults: {
    flags: '--faults <rules>',
    help: 'make requests fail: flaky, cloud, or rules in words; see the command fault',
    read: readText,
    fallback: undefined,
  },
  faultSeed: {
    flags: '--faultSeed <number>',
    help: 'decides which requests fail, to repeat a run',
    read: readFaultSeed,
    fallback: undefined,
  },
  deleteTableMs: {
    flags: '--deleteTableMs <milliseconds>',
    help: 'refuse the name of a deleted table for this long, as the cloud does for 40000 or more',
    read: readMilliseconds,
    fallback: 0,
  },
  allowTestClock: {
    flags: '--allowTestClock',
    help: 'let tests change the clock although the data is kept: what is written then keeps it ahead for good',
    read: readSwitch,
    fallback: false,
  },
} as const;
