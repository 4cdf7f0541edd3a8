import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process';
import { constants } from 'node:os';
import { connectionString, rootOf, tableEndpoint } from '../../client/connection-strings.js';
import { urlVariable } from '../../client/server-url.js';
import { ConfigError, escapeText } from '../../config.js';
import { printedMax, rejectionLines } from '../../insight/coach/report/rejection-lines.js';
import { type UnexpectedRejection, unexpectedRejections } from '../../insight/coach/report/unexpected-rejections.js';
import type { ExplainedRequest } from '../../insight/explained-request.js';
import { urlOf } from '../../insight/journal/write-entry.js';
import { connectionStringVariable, portOf } from '../../protocol/access/connection-string.js';
import { type RunningServer, startServer } from '../../server.js';
import { variableOf } from '../../settings/settings.js';
import { why } from '../../verbs/explanations.js';
import { counted } from '../../verbs/fields.js';
import { boundOldGeneration, boundYoungGeneration } from '../bound-heap.js';
import type { RunPlan } from '../coach/run-plan.js';
import { describeFailure } from '../describe-failure.js';
import { answerSignals, endSignals } from '../early-signals.js';
import type { CommandConfig } from '../options/server-options.js';
import { printError } from '../output.js';
import type { TrustFiles } from './trust-files.js';

/** Exit codes after SIGINT and SIGTERM, which are not failures. */
const stopCodes: ReadonlySet<number> = new Set([130, 143]);

/**
 * Starts a server, runs a command, and stops the server when the command ends. By default the server keeps its data in
 * memory, listens on a free port, and logs only with `--log`. If the command fails, prints the rejected requests with their
 * explanations.
 *
 * Returns the exit code of the command, or 128 plus the number of the signal that ended it; with a plan, 3 if the command succeeded
 * over budget. Returns 127 if the command does not exist and 126 if it cannot be run, after one line on standard error. POSIX
 * defines these codes in "Shell Command Language", section 2.8.2.
 */
export async function exec(
  original: CommandConfig,
  command: readonly string[],
  plan?: RunPlan | undefined,
  name?: string | undefined,
): Promise<number> {
  const identity = original.identity && (await import('./exec-identity.js'));
  if (!identity && name !== undefined) throw new ConfigError('--as needs --identity, with the file of identities.');
  const config = identity ? identity.withHttps(original) : original;
  const { tls } = config;
  const [hasPort, hasCosmosPort, hasLocation, hasDatabase] = (
    ['tablePort', 'cosmosPort', 'location', 'database'] as const
  ).map((name) => config.flags.includes(name));
  const database = hasDatabase ? config.database : undefined;
  const inMemory = database === undefined && (config.inMemory || !hasLocation);
  boundOldGeneration();
  boundYoungGeneration();
  const server = await startServer({
    ...config,
    port: hasPort ? config.port : 0,
    cosmos: config.cosmos && { ...config.cosmos, port: hasCosmosPort ? config.cosmos.port : 0 },
    inMemory,
    database,
    // A server in memory must not leave a private key on disk, except in a location that the user chose.
    identity: inMemory && config.identity ? { ...config.identity, keyFolder: undefined } : config.identity,
    tls: inMemory && !hasLocation && tls?.kind === 'self-signed' ? { ...tls, folder: undefined } : tls,
    silent: config.silent || !config.flags.includes('log'),
    // The server ends with its command.
    undo: false,
    coachesAll: plan !== undefined,
  });
  let trust: TrustFiles | undefined;
  let code = 0;
  try {
    const variables = variablesFor(config, server);
    const place = { root: variables[urlVariable] ?? server.url, account: config.accounts[0]?.name ?? '' };
    const runner = identity?.variablesAs(name, server, place);
    trust = await trustOf(server);
    code = await run(command, { ...process.env, ...variables, ...runner, ...trust?.variables });
    if (code !== 0 && !stopCodes.has(code)) await reportRejections(code, server);
    if (plan) code = await applyPlan(code, plan, server);
    return code;
  } finally {
    await trust?.dispose();
    await server.close().catch((error: unknown) => {
      // The exit code of a failed command matters more than a failed export.
      if (code === 0) throw error;
      printError(describeFailure(error));
    });
  }
}

async function reportRejections(code: number, server: RunningServer): Promise<void> {
  // As above.
  await printRejections(code, server, printError).catch((error: unknown) => printError(describeFailure(error)));
}

/** Judges the cost of the command's requests. Returns the exit code, or 3 if the command succeeded over budget. */
async function applyPlan(code: number, plan: RunPlan, server: RunningServer): Promise<number> {
  const { brokenBudgetCode, judgeRun } = await import('../coach/judge-run.js');
  const isBroken = await judgeRun(plan, server, printError, process.env['GITHUB_STEP_SUMMARY']).catch(
    (error: unknown) => {
      // As above.
      if (code === 0) throw error;
      printError(describeFailure(error));
      return false;
    },
  );
  return code === 0 && isBroken ? brokenBudgetCode : code;
}

/** Lets the command trust the server's own certificate. */
async function trustOf({ certificate }: RunningServer): Promise<TrustFiles | undefined> {
  if (!certificate) return undefined;
  if (certificate.notice !== undefined) printError(certificate.notice);
  return (await import('./trust-files.js')).writeTrustFiles(certificate.file, process.env);
}

function variablesFor(
  { host, accounts, cosmos, tls, adminToken }: CommandConfig,
  { url, cosmosUrl, generatedToken = adminToken }: Pick<RunningServer, 'url' | 'cosmosUrl' | 'generatedToken'>,
): Record<string, string> {
  const [account] = accounts;
  if (!account) throw new ConfigError('There is no account.');
  const endpointAt = (address: string) => ({ scheme: tls ? 'https' : 'http', host, port: portOf(address) }) as const;
  const endpoint = endpointAt(url);
  const [ofCosmos] = cosmos?.accounts ?? [];
  const text = connectionString(endpoint, account);
  const address = tableEndpoint(endpoint, account.name);
  return {
    [connectionStringVariable]: text,
    TABULARIUM_CONNECTION_STRING: text,
    AZURE_TABLES_ENDPOINT: address,
    TABULARIUM_ENDPOINT: address,
    [urlVariable]: rootOf(endpoint),
    ...(generatedToken !== undefined && { [variableOf('adminToken')]: generatedToken }),
    ...(ofCosmos && cosmosUrl && { COSMOS_TABLE_CONNECTION_STRING: connectionString(endpointAt(cosmosUrl), ofCosmos) }),
  };
}

async function run(command: readonly string[], env: NodeJS.ProcessEnv): Promise<number> {
  const [file = ''] = command;
  try {
    const child = await spawnCommand(command, env);
    const ended = waitForCommand(child);
    answerSignals();
    return await ended;
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    // Node.js rejects an empty name with a different error.
    const isMissing = code === 'ENOENT' || file === '';
    printError(
      isMissing
        ? `The command '${file}' was not found. Check its name, its first line if it is a script, and the PATH.`
        : `The command '${file}' cannot be run: ${error instanceof Error ? error.message : error}. Check that it is a program and that its file is executable.`,
    );
    return isMissing ? 127 : 126;
  }
}

/**
 * Starts a command with its exact arguments, never through a shell. On Windows, commands of npm packages are batch files, which only
 * cmd.exe can run: cross-spawn finds them and escapes the arguments.
 */
async function spawnCommand([file = '', ...args]: readonly string[], env: NodeJS.ProcessEnv): Promise<ChildProcess> {
  const options: SpawnOptions = { env, stdio: 'inherit' };
  if (process.platform !== 'win32') return spawn(file, args, options);
  const { default: crossSpawn } = await import('cross-spawn');
  return crossSpawn(file, args, options);
}

/** Waits for a command and forwards signals to it. Returns its exit code. Errors: a system error if it could not start. */
function waitForCommand(child: ChildProcess): Promise<number> {
  const forward = (signal: NodeJS.Signals) => {
    if (!reachesCommand(signal)) child.kill(signal);
  };
  const signals = endSignals();
  for (const signal of signals) process.on(signal, forward);
  return new Promise<number>((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', (code, signal) => resolve(code ?? 128 + (signal ? constants.signals[signal] : 0)));
  }).finally(() => {
    for (const signal of signals) process.off(signal, forward);
  });
}

/**
 * Whether the system itself delivers a signal to the command. A Windows console notifies all of its programs, and `kill` would
 * terminate the command at once. At a terminal, Ctrl+C also reaches the command, and many programs quit without cleanup on a
 * second SIGINT.
 */
function reachesCommand(signal: NodeJS.Signals): boolean {
  return process.platform === 'win32' || (signal === 'SIGINT' && process.stdin.isTTY);
}

/**
 * Prints the rejected requests, newest last, each cause once with its explanation. Suggests no command that needs the server, which is
 * about to stop.
 */
async function printRejections(
  code: number,
  { journal, callVerb }: Pick<RunningServer, 'journal' | 'callVerb'>,
  print: (line: string) => void,
): Promise<void> {
  const all = journal ? unexpectedRejections(journal) : [];
  if (all.length === 0) return;
  const shown = all.slice(-printedMax);
  const left = counted(countOf(all.slice(0, -printedMax)), 'earlier request');
  print(`The command exited with ${code}, and the server rejected ${counted(countOf(all), 'request')}:`);
  for (const { entry, requests } of shown) {
    const { method, mark, requestId } = entry;
    const explained = (await callVerb(why, { id: requestId })) as ExplainedRequest;
    const { pathname, search } = new URL(urlOf(entry), 'http://localhost');
    const marked = mark !== undefined && { mark };
    const lines = rejectionLines({ ...explained, method, path: `${pathname}${search}`, requests, ...marked });
    for (const line of lines) print(escapeText(line));
  }
  if (all.length > shown.length) print(`  ${left} with other causes`);
}

function countOf(rejections: readonly UnexpectedRejection[]): number {
  return rejections.reduce((sum, { requests }) => sum + requests, 0);
}
