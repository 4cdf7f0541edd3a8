import type { IncomingMessage } from 'node:http';
import { type AllowedHosts, hostRefusal } from '../http/allowed-hosts.js';
import { answerJson, type ControlAnswer } from './control-row.js';

/** Decides whether a control request may be answered: returns the refusal, or undefined if it may. */
export type Guard = (request: IncomingMessage) => ControlAnswer | undefined;

/** Returns the guard of all control rows: only allowed hosts may ask, whether browsers or other clients. */
export function guardHosts(hosts: AllowedHosts): Guard {
  return ({ headers: { host } }) => (hosts.allows(host) ? undefined : answerJson(403, { error: hostRefusal(host) }));
}
