import { open, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { Command, CommanderError } from 'commander';
import { rows } from '../client/rows.js';
import { ConfigError, shownValue } from '../config.js';
import { settingNames } from '../settings/settings.js';
import { makeFolder } from '../store/folder/make-folder.js';
import { reasonOf } from '../user-files/read-text-file.js';
import { methodOf } from '../verbs/verb-row.js';
import { ownVersion } from '../version.js';
import { addRunOptions, type RunFlags, readRunPlan } from './coach/run-plan.js';
import { addCopyOptions } from './copy/copy-options.js';
import type { CopyFlags } from './copy/run-copy.js';
import { describeFailure } from './describe-failure.js';
import type { McpFlags } from './mcp/run-mcp.js';
import {
  addAskOptions,
  addServerOptions,
  type CommandConfig,
  flagsOf,
  helpNotes,
  readConfig,
} from './options/server-options.js';
import { print, printError, writeOut, writeTo } from './output.js';
import { addSasOptions } from './sas/sas-options.js';
import { type ProgramName, programName } from './start/start-lines.js';

/** The exit code of a failed command; under Azurite's names, that of Azurite. */
const failedCodes = { tabularium: 2, azurite: 1, 'azurite-table': 1 } as const;

/**
 * Runs a command line. Returns the exit code; a started server keeps running. 0 is yes, 1 is no, 2 is a failure and 3 a broken budget;
 * `exec` otherwise returns the code of its child.
 */
export async function run([, script, ...args]: readonly string[], environment: NodeJS.ProcessEnv): Promise<number> {
  let exitCode = 0;
  const name = programName(script);
  try {
    const [word = ''] = args;
    const isHelp = name === 'tabularium' && ['help', '--help', '-h'].some((one) => args.includes(one));
    // A fast path: verbs do not need the server options.
    if (!isHelp && rows.some((row) => row.name.split(' ')[0] === word || methodOf(row)[0] === word)) {
      const { findVerb } = await import('./verbs/find-verb.js');
      const match = findVerb(args);
      if (match) return await (await import('./verbs/run-verb.js')).runVerb(match, environment);
    }
    const program = createProgram(name, environment, (code) => {
      exitCode = code;
    });
    // Before parsing, which would reject the options of an unknown command first.
    if (name === 'tabularium' && word !== '' && !word.startsWith('-') && !isHelp) await checkCommand(word, program);
    const help = isHelp ? (await import('./help.js')).helpFor(args, program) : undefined;
    if (help !== undefined) {
      writeOut(help);
      return 0;
    }
    await program.parseAsync(name === 'tabularium' ? args : withoutSwitchValues(args), { from: 'user' });
    return exitCode;
  } catch (error) {
    if (error instanceof CommanderError && error.exitCode === 0) return 0;
    // Commander has already printed its message.
    const isPrinted = error instanceof CommanderError;
    const message = isPrinted ? error.message : describeFailure(error);
    if (!isPrinted) printError(message);
    if (asksForJson(args, environment)) print(JSON.stringify({ ready: false, error: message }));
    return failedCodes[name];
  }
}

/** Whether a command line that failed was to start a server with `--ready json`. Its options may be unreadable. */
function asksForJson(args: readonly string[], environment: NodeJS.ProcessEnv): boolean {
  const [word = ''] = args;
  if (word !== 'start' && !word.startsWith('-') && word !== '') return false;
  const [flag] = args.flatMap((arg, at) =>
    arg === '--ready' ? (args[at + 1] ?? '') : (/^--ready=(.*)/.exec(arg)?.[1] ?? []),
  );
  return (flag ?? environment['TABULARIUM_READY']) === 'json';
}

/** Creates the command-line parser. Each command loads its modules on demand, so that the program starts fast. */
export function createProgram(
  name: ProgramName,
  environment: NodeJS.ProcessEnv,
  exit: (code: number) => void,
): Command {
  const read = (command: Command) => {
    checkBlanks(command);
    return readConfig(command, environment);
  };
  const serve = async (config: CommandConfig) => {
    await checkDebugFile(config.debug);
    const { start } = await import('./start/start.js');
    await start(config, name);
  };
  const program = addServerOptions(new Command(name).description('An Azure Table Storage server for your own machine.'))
    .option('-v, --version', 'print the version')
    .addHelpText('after', helpNotes)
    .allowExcessArguments(true)
    .helpCommand('help [command]', 'show the help of a command')
    .enablePositionalOptions()
    .exitOverride()
    .configureOutput({ writeOut, writeErr: (text) => writeTo(process.stderr, text) })
    .action(async ({ version }: { version?: true }, command: Command) => {
      // Azurite also accepts the word without dashes.
      if (version || command.args[0] === 'version') print(ownVersion());
      else await serve(await withoutWords(name, command, read(command)));
    });

  addServerOptions(program.command('start'))
    .description('start a server (the default command)')
    .addHelpText('after', helpNotes)
    .action(async (_options, command: Command) => serve(read(command)));

  addAskOptions(program.command('connection-string'))
    .description('print the connection strings of a server with these options')
    .action(async (_options, command: Command) => {
      const [{ connectionString, endpointOf }, { targetEndpoint }] = await Promise.all([
        import('../client/connection-strings.js'),
        import('../client/server-url.js'),
      ]);
      const config = read(command);
      for (const account of config.accounts) print(connectionString(targetEndpoint(config), account));
      const { cosmos } = config;
      for (const account of cosmos?.accounts ?? [])
        print(connectionString(endpointOf({ ...config, ...cosmos }), account));
    });

  addSasOptions(addAskOptions(program.command('sas')))
    .description('print a signed URL for a table or the account')
    .action(async (options, command: Command) => {
      const { signUrl } = await import('./sas/sas.js');
      print(signUrl(read(command), options, Date.now()));
    });

  addRunOptions(addServerOptions(program.command('exec')))
    .description('run a command with a server of its own, and exit with its exit code')
    .usage('[options] -- <command> [arguments...]')
    .option(
      '--as <identity>',
      'run the command as this identity of --identity, which gets tokens and no key; implies HTTPS',
    )
    .argument(
      '<command...>',
      'gets AZURE_STORAGE_CONNECTION_STRING and AZURE_TABLES_ENDPOINT of the server, and COSMOS_TABLE_CONNECTION_STRING with --cosmos',
    )
    .passThroughOptions()
    .action(async (words: readonly string[], options: RunFlags, command: Command) => {
      const { exec } = await import('./exec/exec.js');
      const config = read(command);
      for (const note of config.notes) printError(note);
      await checkDebugFile(config.debug);
      exit(await exec(config, words, readRunPlan(options, config), options.as));
    });

  addAskOptions(program.command('open'))
    .description('open the page of a running server with these options in the browser')
    .action(async (_options, command: Command) => {
      const { openExplorer } = await import('./start/open.js');
      await openExplorer(read(command), print);
    });

  addCopyOptions(program.command('copy'))
    .description('copy tables between accounts, files and databases, and verify the copy')
    .action(async (from: string, to: string, options: CopyFlags) => {
      const { runCopy } = await import('./copy/run-copy.js');
      exit(await runCopy(from, to, options, environment));
    });

  program
    .command('mcp')
    .description('serve the tools of a running server to a coding agent, on stdin and stdout')
    .option('--url <server>', 'server to ask (default: $TABULARIUM_URL, else 127.0.0.1:10002)')
    .option('--readOnly', 'only tools that change nothing')
    .option('--json', 'send answers also as JSON, with their schemas')
    .action(async (options: McpFlags) => (await import('./mcp/run-mcp.js')).runMcp(options, environment));

  addAskOptions(program.command('doctor'))
    .description('find out why a server with these options does not start or cannot be used')
    .action(async (_options, command: Command) => {
      const { examine, findingLines } = await import('./doctor/examine.js');
      const config = read(command);
      const findings = await examine(config, Date.now());
      for (const note of config.notes) print(note);
      for (const finding of findings) print(findingLines(finding).join('\n'));
      exit(findings.some(({ remedy }) => remedy !== undefined) ? 1 : 0);
    });
  // Only the program itself ignores extra words, as Azurite does.
  for (const command of program.commands) command.allowExcessArguments(false);
  return program;
}

/** Azurite's switches accept a value: `--loose=true` means `--loose`; `--loose=false` is ignored. */
function withoutSwitchValues(args: readonly string[]): readonly string[] {
  return args.flatMap((arg) => {
    const [, flag, value] = /^(--\w+)=(true|false)$/i.exec(arg) ?? [];
    const isSwitch = settingNames.some((name) =>
      flagsOf(name)
        ?.split(', ')
        .includes(flag ?? ''),
    );
    if (!isSwitch) return [arg];
    return value?.toLowerCase() === 'true' && flag !== undefined ? [flag] : [];
  });
}

/**
 * Handles a word that is not a command. Under one of Azurite's names, adds a note to the settings. Errors: ConfigError under the
 * program's own name.
 */
async function withoutWords(name: ProgramName, command: Command, config: CommandConfig): Promise<CommandConfig> {
  const [word] = command.args;
  if (word === undefined) return config;
  // Azurite ignores extra words, so a command line that works with Azurite must not fail here.
  if (name !== 'tabularium')
    return { ...config, notes: [...config.notes, `'${shownValue(word)}' is not an option; it has no effect.`] };
  await checkCommand(word, command);
  return config;
}

/** Errors: ConfigError with the nearest name if there is no such command. */
async function checkCommand(word: string, { commands }: Command): Promise<void> {
  const names = commands.map((one) => one.name());
  if (word !== 'version' && !names.includes(word))
    throw (await import('./verbs/find-verb.js')).unknownCommand(word, names);
}

/** Options that may be blank, because keys may be. `sas` checks its keys itself. */
const keyOptions = ['partition', 'startPartition', 'startRow', 'endPartition', 'endRow'];

/**
 * Rejects blank arguments, so that a script with an unset variable does not act on everything. Server options have their own checks,
 * and the arguments of `exec` belong to another program. Errors: ConfigError.
 */
function checkBlanks(command: Command): void {
  if (!command.parent || command.name() === 'exec') return;
  const at = command.args.findIndex(isBlank);
  if (at >= 0) {
    const name = command.registeredArguments[at]?.name() ?? 'An argument';
    throw new ConfigError(`${name} is empty. Leave it out, or give it a value.`);
  }
  const spared = [...settingNames, ...keyOptions];
  for (const [name, value] of Object.entries(command.opts())) {
    const isGiven = command.getOptionValueSource(name) === 'cli';
    if (isGiven && !spared.includes(name) && [value].flat().some(isBlank)) {
      throw new ConfigError(`--${name} is empty. Leave it out, or give it a value.`);
    }
  }
}

function isBlank(value: unknown): boolean {
  return typeof value === 'string' && value.trim() === '';
}

/**
 * Checks that the debug log is writable, and creates the file with its folders, before the server starts: a running server would
 * continue without the log. Errors: ConfigError with the path and the reason.
 */
async function checkDebugFile(path: string | undefined): Promise<void> {
  if (path === undefined) return;
  try {
    const existing = await stat(path).catch(() => undefined);
    // Opening a named pipe would wait for its reader.
    if (existing !== undefined && !existing.isFile() && !existing.isDirectory()) return;
    await makeFolder(dirname(path));
    const file = await open(path, 'a');
    await file.close();
  } catch (error) {
    throw new ConfigError(
      `The debug log ${path} cannot be written: ${reasonOf(error)}. Pass a file that this user can write, or leave out --debug.`,
    );
  }
}
