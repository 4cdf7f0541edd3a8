import { Readable } from 'node:stream';
import { followersMax, TooManyFollowers } from '../journal/follow-ring.js';
import type { Journal } from '../journal/journal.js';
import { fingerprintOf } from './budget/same-findings.js';
import type { Coach } from './coach.js';

/** How often it looks. Unit: milliseconds. Some findings come with time alone, so there is nothing to wait for. */
const pauseMs = 1000;

/** After how many looks without a finding a line without a value is sent. Proxies close connections that say nothing for longer. */
const silentLooks = 15;

/**
 * Returns each finding as a line of JSON as it comes, and again if it has another severity, until the journal is closed. Errors:
 * TooManyFollowers.
 */
export function followFindings(coach: Coach, journal: Journal): Readable {
  if (journal.listeners >= followersMax) throw new TooManyFollowers();
  const told = new Set<string>();
  let looks = 0;
  let timer: NodeJS.Timeout | undefined;
  const look = () => {
    for (const finding of coach.findings(Date.now())) {
      const key = `${finding.severity} ${fingerprintOf(finding)}`;
      if (told.has(key)) continue;
      told.add(key);
      looks = 0;
      stream.push(`${JSON.stringify(finding)}\n`);
    }
    if (stream.destroyed) return;
    if (++looks % silentLooks === 0) stream.push('\n');
    if (journal.isClosed) stream.push(null);
    else timer = setTimeout(look, pauseMs).unref();
  };
  const stop = journal.listen(() => {
    if (!journal.isClosed) return;
    clearTimeout(timer);
    look();
  });
  const stream: Readable = new Readable({
    read() {},
    destroy(error, done) {
      clearTimeout(timer);
      stop();
      done(error);
    },
  });
  look();
  return stream;
}
