import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { controlMark } from '../../src/wire/reserved-endpoints.js';
import { cleanEnvironment, runProgram, serverFile } from '../support/programs/run-program.js';

/** Clears the screen in two ways, and reverses a line. */
const hostile = '\u001b[2J \u009b2J \u202egpj';

const answers: Readonly<Record<string, unknown>> = {
  '/faults': { faults: [{ id: hostile, fault: { kind: hostile }, when: { table: hostile }, hits: 0, matched: 0 }] },
  '/requests': { requests: [{ Uri: 'http://host/', Method: hostile, TimeGenerated: hostile }] },
  '/changes': { changes: [{ Table: hostile }] },
  '/export': `PartitionKey,RowKey\n${hostile},"a\r\nb"\n`,
};

/** A server that answers as a hostile one could. */
let server: Server;
let url: string;
beforeAll(async () => {
  server = createServer(({ url: path = '' }, response) => {
    const answer = answers[path.replace('/_tabularium', '').replace(/\?.*/, '')];
    response.setHeader(controlMark, 'control').end(typeof answer === 'string' ? answer : JSON.stringify(answer));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => server.close());

/** Runs a command. `node` has options of Node.js. */
async function outputOf(words: readonly string[], node: readonly string[] = []): Promise<string> {
  const environment = cleanEnvironment({ TABULARIUM_URL: url });
  const { output, errors, code } = await runProgram([process.execPath, ...node, serverFile, ...words], { environment })
    .ended;
  expect([code, errors]).toEqual([0, '']);
  return output;
}

/** Makes a program take its output for a terminal. */
const onTerminal = ['--import', 'data:text/javascript,process.stdout.isTTY = true'];

it.each([
  ['fault', 'list'],
  ['fault', 'list', '--json'],
  ['requests', '--json'],
  ['changes', '--json'],
  ['export', '--format', 'csv'],
])(
  'tabularium %s %s shows a terminal nothing that it executes, and no other reader anything else',
  async (...words) => {
    const [shown, piped] = await Promise.all([outputOf(words, onTerminal), outputOf(words)]);
    expect(shown).not.toMatch(/(?!\n)[\p{Cc}\p{Bidi_Control}]/u);
    expect(shown).toMatch(/\\(?:u009b|x9b)2J \\u202egpj/);
    if (words.includes('--json')) expect(JSON.parse(shown)).toEqual(JSON.parse(piped));
    else if (words.includes('csv')) expect(piped).toBe(answers['/export']);
  },
);
