import type { HeaderFields } from '../../protocol/header-fields.js';
import { checkInput } from '../../verbs/check-input.js';
import type { VerbServer } from '../../verbs/verb.js';
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
        { url: `${root}${controlRoot}/mcp`, headers: singleHeaders(headers), body },
      );
    },
  };
}

/** Returns the headers that came once, as those of MCP do. */
function singleHeaders(headers: HeaderFields): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) => (typeof value === 'string' ? [[name, value]] : [])),
  );
}
