import { rootOf } from '../../client/connection-strings.js';
import { sendRequest, textOf } from '../../client/http-transport.js';
import { requestOf } from '../../client/request-of.js';
import { serveInput } from '../../mcp/serve-mcp.js';
import { checkInput } from '../../verbs/check-input.js';
import type { VerbServer } from '../../verbs/verb.js';
import { describeFailure } from '../describe-failure.js';
import { printError } from '../output.js';
import { targetServers } from '../verbs/run-verb.js';

/** The options of the command. */
export interface McpFlags {
  readonly url?: string;
  readonly readOnly?: boolean;
  readonly json?: boolean;
}

/** Serves the tools of a running server on standard input and output, until the input ends. Errors: ConfigError. */
export function runMcp({ url, readOnly = false, json = false }: McpFlags, environment: NodeJS.ProcessEnv): void {
  const [target] = targetServers(url === undefined ? [] : [url], environment);
  if (!target) return;
  if (process.stdin.isTTY)
    printError('This serves tools to a coding agent, which writes to its input. To end it, press Ctrl+D.');
  serveInput(
    {
      server: rootOf(target.endpoint),
      isReadOnly: readOnly || target.onlyReads,
      hasJson: json,
      async ask(verb, fields, signal) {
        const input = checkInput(verb, fields);
        if (verb.isLocal) return verb.run({} as VerbServer, input as never, {});
        const text = async () => textOf(await sendRequest(target, requestOf(verb, input), undefined, signal));
        return JSON.parse(await text().catch((error) => Promise.reject(new Error(describeFailure(error)))));
      },
    },
    (error) => printError(error.message),
  );
}
