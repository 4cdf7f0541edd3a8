import type { HeaderFields } from '../../protocol/header-fields.js';
import { checkInput } from '../../verbs/check-input.js';
import { RejectedCall, type VerbServer } from '../../verbs/verb.js';
import { controlRoot } from '../../wire/reserved-endpoints.js';
import type { ControlRow } from '../control-row.js';
import { wholeObject } from '../verbs/answer-object.js';
import { rejectionOf } from '../verbs/call-verb.js';

/**
 * Returns the row of MCP over HTTP, whose code is loaded at the first request. A caller that may only read has only the tools that
 * change nothing. `report` receives unexpected errors.
 */
export function mcpRow(server: VerbServer, report: (error: unknown) => void): ControlRow {
  return {
    method: 'POST',
    path: `${controlRoot}/mcp`,
    purpose: 'tools for coding agents, by the Model Context Protocol',
    takes: 'json',
    isForReaders: true,
    async run({ headers = {}, body, ...caller }) {
      const { answerPost } = await import('../../mcp/serve-mcp.js');
      if (isTooDeep(body)) throw new RejectedCall(400, `A message has at most ${levelsMax} levels.`);
      const { root = '', right } = caller;
      return answerPost(
        {
          server: root,
          isReadOnly: right !== 'all',
          async ask(verb, fields) {
            try {
              return await wholeObject((await verb.run(server, checkInput(verb, fields) as never, caller)) as object);
            } catch (error) {
              const rejection = rejectionOf(error);
              if (!rejection) report(error);
              throw rejection ?? error;
            }
          },
        },
        { url: `${root}${controlRoot}/mcp`, headers: mcpHeaders(headers), body },
      );
    },
  };
}

/** Most levels of a message. (Our choice: more than any field has, and far fewer than the stack allows.) */
const levelsMax = 100;

function isTooDeep(body: unknown): boolean {
  let level: readonly unknown[] = [body];
  for (let depth = 0; depth <= levelsMax; depth++) {
    level = level.flatMap((one) => (typeof one === 'object' && one !== null ? Object.values(one) : []));
  }
  return level.length > 0;
}

/** Returns the headers that MCP reads. The others belong to the connection and the guard. */
function mcpHeaders(headers: HeaderFields): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) =>
      typeof value === 'string' && /^(?:accept|content-type|mcp-[\w-]+)$/.test(name) ? [[name, value]] : [],
    ),
  );
}
