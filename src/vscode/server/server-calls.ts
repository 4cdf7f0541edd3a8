import type { ServerCalls } from '../../client/calls.js';
import { createCalls } from '../../client/create-calls.js';
import { sendRequest, type TargetServer, textOf } from '../../client/http-transport.js';
import { requestOf } from '../../client/request-of.js';
import { rows } from '../../client/rows.js';

/** Returns the verbs of a server, as methods. The signal ends calls and streams. Errors: ConfigError, in words for people. */
export function callsOf(target: TargetServer, signal?: AbortSignal): ServerCalls {
  return createCalls(rows, async (row, options) => {
    const answer = await sendRequest(target, requestOf(row, options), undefined, signal);
    if (row.sends === 'file') return answer;
    return row.sends === 'lines' ? answer.setEncoding('utf8') : JSON.parse(await textOf(answer));
  });
}
