import { escapeText } from '../config.js';
import type { ExplainedRequest } from '../insight/why/explanation.js';
import { askControl, textOf } from './ask-control.js';
import type { CommandConfig } from './server-options.js';

/** Prints why a server refused a request. `print` gets one line. Errors: ConfigError if the server does not know it. */
export async function printWhy(config: CommandConfig, id: string, print: (line: string) => void): Promise<void> {
  const answer = await askControl(config, { path: `/requests/${encodeURIComponent(id)}/why` });
  for (const line of whyLines(JSON.parse(await textOf(answer)) as ExplainedRequest)) print(escapeText(line));
}

/** Returns the explanation for people: status and code, the cause, what to do, and the values that were compared. */
function whyLines({
  status,
  code,
  text,
  advice,
  near,
  otherAccount,
  details = [],
  laterStatus,
}: ExplainedRequest): readonly string[] {
  // A transaction that fails is answered with a status of success, and its operation with that of the error.
  const heading =
    status < 400
      ? `${code ?? ''} in a transaction, which was answered with ${status}`
      : `${status} ${code ?? ''}`.trimEnd();
  return [
    heading,
    text,
    ...(otherAccount === undefined ? [] : [`The account ${otherAccount} has a table of this name.`]),
    ...(laterStatus === undefined
      ? []
      : [`A later request with the same x-ms-client-request-id was answered with ${laterStatus}.`]),
    ...(near === undefined ? [] : [`There is a table ${near}.`]),
    ...(advice === undefined ? [] : [advice]),
    ...details.map(
      ({ name, value, holds }) =>
        `  ${holds === undefined ? ' ' : holds ? '✓' : '✗'} ${name}: ${JSON.stringify(value)}`,
    ),
  ];
}
