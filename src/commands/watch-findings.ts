import { setTimeout as pause } from 'node:timers/promises';
import { NoServer } from '../client/http-transport.js';
import { ConfigError } from '../config.js';
import { type Accepted, divideFindings } from '../insight/budget/accepted.js';
import { fingerprintOf } from '../insight/budget/same-findings.js';
import type { Finding } from '../insight/finding.js';
import { askCoach } from './coach.js';
import type { CommandConfig } from './server-options.js';

/** How often the server is asked. Unit: milliseconds. Some findings come with time alone, so there is nothing to wait for. */
const pauseMs = 1000;

/**
 * Prints each finding of a running server that is not accepted, and again if it has another severity, until the server stops.
 *
 * Errors: ConfigError if there is no server at first, or if it refuses.
 */
export async function watchFindings(
  config: CommandConfig,
  accepted: readonly Accepted[],
  print: (finding: Finding) => void,
): Promise<void> {
  const printed = new Set<string>();
  for (let isFirst = true; ; isFirst = false) {
    try {
      for (const finding of divideFindings((await askCoach(config)).findings, accepted).findings) {
        const key = `${finding.severity} ${fingerprintOf(finding)}`;
        if (!printed.has(key)) print(finding);
        printed.add(key);
      }
    } catch (error) {
      // A server that stops may end an answer in the middle.
      if (!isFirst && (error instanceof NoServer || !(error instanceof ConfigError))) return;
      throw error;
    }
    await pause(pauseMs);
  }
}
