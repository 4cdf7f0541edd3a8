import { rootOf } from '../../client/connection-strings.js';
import { escapeText } from '../../config.js';
import { askHealth } from './ask-health.js';
import type { VerbRun } from './verb-part.js';

/** Prints the health of a server, or what else is at its port, in five seconds at most. Returns 1 if it is not ready. */
export const checkHealth: VerbRun = async ({ endpoint }, _verb, { json }, print) => {
  const found = await askHealth(endpoint);
  const isReady = found.kind === 'tabularium' && found.ready;
  const root = rootOf(found.kind === 'tabularium' ? { ...endpoint, scheme: found.scheme } : endpoint);
  const status = found.kind === 'tabularium' ? found.status : 'not reached';
  const fault =
    found.kind === 'tabularium'
      ? ''
      : `: ${found.kind === 'other' ? `the server there is not Tabularium but ${found.server}` : found.message}`;
  print(json ? JSON.stringify({ status }) : escapeText(`${status}: ${root}${fault}`));
  return isReady ? 0 : 1;
};
