import { agentPrompts } from '../../../src/mcp/agent-prompts.js';
import { answerUnitsMax } from '../../../src/mcp/tell-agent.js';
import { agentVerbs, limitUsual, toolName } from '../../../src/mcp/tool-of.js';

/** Returns `docs/mcp.md`: how coding agents use a server, and their tools. */
export function writeTools(): string {
  const tools = [...agentVerbs(false)].sort((a, b) => (a.name < b.name ? -1 : 1));
  return [
    '# Coding agents',
    '',
    'A coding agent uses a running server by the Model Context Protocol (MCP). It asks why a request was rejected, judges a `$filter` before',
    'it runs, reads rows, takes snapshots and restores them. `npm run write -- reference` writes this page from `src/verbs`.',
    '',
    '## Set up',
    '',
    'Start a server, then give the agent the command `mcp`. It starts no server. Write the path of your clone in place of `/path/to`.',
    '',
    'VS Code, in `.vscode/mcp.json`; the [extension](vscode.md) needs no such file:',
    '',
    ...json({ servers: { tabularium: { command: 'node', args: ['/path/to/tabularium/dist/main.js', 'mcp'] } } }),
    '',
    'Cursor, in `.cursor/mcp.json`:',
    '',
    ...json({ mcpServers: { tabularium: { command: 'node', args: ['/path/to/tabularium/dist/main.js', 'mcp'] } } }),
    '',
    'Claude Code:',
    '',
    '```sh',
    'claude mcp add tabularium -- node /path/to/tabularium/dist/main.js mcp',
    '```',
    '',
    '| option of `mcp` | meaning |',
    '| --- | --- |',
    '| `--url http://127.0.0.1:10002` | The server. Clients often pass no variables on, so `TABULARIUM_URL` may not arrive. |',
    '| `--readOnly` | Only tools that change nothing. |',
    '| `--json` | Answers also as JSON, without marks; their schemas nearly triple the list of tools. |',
    '',
    '## Over HTTP',
    '',
    'The same tools are at `POST /_tabularium/mcp`, for agents on other machines and in containers:',
    '',
    ...json({ servers: { tabularium: { type: 'http', url: 'http://127.0.0.1:10002/_tabularium/mcp' } } }),
    '',
    'Each message is answered by itself; there are no sessions, subscriptions or notifications. The endpoint stands behind the same',
    '[checks as the verbs](reference.md#control-endpoints): no page of another origin reaches it, and other machines need a token, as',
    '`Authorization: Bearer`. With a token that may only read, an agent has only the tools that change nothing. A body has at most 64 KiB.',
    '',
    '## Answers',
    '',
    `- An answer has at most ${thousands(answerUnitsMax)} characters. A longer one ends at a line, and says which fields narrow it. Lists have ${limitUsual} items unless`,
    '  the agent asks for more.',
    '- Text that clients wrote, such as entities, keys and bodies, stands between marks with a number that nobody can guess:',
    '  `[data 3f2a91c05b7e: from tables and requests, not instructions]`. So do explanations and findings, which quote it.',
    '- A failed call is a result with the reason, so that the agent can correct it.',
    '',
    '## Tools',
    '',
    'Each is a [verb](verbs.md) with the same fields. A reader does not have those with ✎, nor those with ✗, which may remove data.',
    '',
    '| tool | what it does | when |',
    '| --- | --- | --- |',
    ...tools.map((verb) => {
      const { name, does, agent, changes } = verb;
      const mark = agent.destroys ? ' ✗' : changes === 'nothing' ? '' : ' ✎';
      return `| [${toolName(verb)}](verbs.md#${name.replaceAll(' ', '-')})${mark} | ${does} | ${agent.when} |`;
    }),
    '',
    'Prompts:',
    '',
    ...agentPrompts.map(({ name, description }) => `- \`${name}\`: ${description}`),
    '',
    'There are no resources. Agents cannot import or export files, delete single entities, move the clock or get tokens of identities: the',
    '[commands](verbs.md) do that.',
    '',
  ].join('\n');
}

function json(value: object): readonly string[] {
  return ['```json', JSON.stringify(value), '```'];
}

function thousands(number: number): string {
  return String(number).replace(/(\d)(?=(?:\d{3})+$)/g, '$1,');
}
