import { Readable } from 'node:stream';
import { followersMax, TooManyFollowers } from '../journal/follow-ring.js';
import type { Journal } from '../journal/journal.js';
import { fingerprintOf } from './budget/same-findings.js';
import type { Coach } from './coach.js';

/** Polling interval. Unit: milliseconds. Some findings appear with time alone, so no event announces them. */
const pauseMs = 1000;

/** Polls without a finding before an empty line is sent. Proxies close connections that are silent for longer. */
const silentLooks = 15;

/** Streams each new finding, or new severity of one, as a line of JSON until the journal is closed. Errors: TooManyFollowers. */
export function followFindings(coach: Coach, journal: Journal): Readable {
  if (journal.listeners >= followersMax) throw new TooManyFollowers();
  const sent = new Set<string>();
  let looks = 0;
  let timer: NodeJS.Timeout | undefined;
  const look = () => {
    for (const finding of coach.findings(Date.now())) {
      const key = `${finding.severity} ${fingerprintOf(finding)}`;
      if (sent.has(key)) continue;
      sent.add(key);
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
