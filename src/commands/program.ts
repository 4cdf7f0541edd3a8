import { readFileSync } from 'node:fs';
import { Command, CommanderError } from 'commander';
import { ConfigError, shownValue } from '../config.js';
import { checkDebugFile } from './check-debug-file.js';
import { explain } from './explain.js';
import { nearestName } from './nearest-name.js';
import { optionNames, rowOf } from './option-table.js';
import { addSasOptions } from './sas-options.js';
import { addServerOptions, type CommandConfig, helpNotes, readConfig } from './server-options.js';
import { type ProgramName, programName } from './start-lines.js';

/** Runs what a command line asks for. Returns the exit code; a server that was started goes on. */
export async function run([, script, ...args]: readonly string[], environment: NodeJS.ProcessEnv): Promise<number> {
  let exitCode = 0;
  const name = programName(script);
  const program = createProgram(name, environment, (code) => {
    exitCode = code;
  });
  try {
    await program.parseAsync(name === 'tabularium' ? args : withoutSwitchValues(args), { from: 'user' });
    return exitCode;
  } catch (error) {
    // Commander has already said what was wrong.
    if (error instanceof CommanderError) return error.exitCode;
    process.stderr.write(`${explain(error)}\n`);
    return 1;
  }
}

/** The commands there are. Each loads what it needs when it runs, for a quick start. */
export function createProgram(
  name: ProgramName,
  environment: NodeJS.ProcessEnv,
  exit: (code: number) => void,
): Command {
  const read = (command: Command) => readConfig(command, environment);
  const serve = async (config: CommandConfig) => {
    await checkDebugFile(config.debug);
    const { start } = await import('./start.js');
    await start(config, name);
  };
  const program = addServerOptions(new Command(name).description('An Azure Table Storage server for your own machine.'))
    .option('-v, --version', 'print the version')
    .addHelpText('after', helpNotes)
    .allowExcessArguments(true)
    .helpCommand('help [command]', 'say more of a command')
    .enablePositionalOptions()
    .exitOverride()
    .action(async ({ version }: { version?: true }, command: Command) => {
      // Azurite also takes the word.
      if (version || command.args[0] === 'version') print(ownVersion());
      else await serve(withoutWords(name, command, read(command)));
    });

  addServerOptions(program.command('start'))
    .description('serve (what happens without a command, too)')
    .allowExcessArguments(false)
    .addHelpText('after', helpNotes)
    .action(async (_options, command: Command) => serve(read(command)));

  addServerOptions(program.command('connection-string'))
    .description('print the connection strings of a server with these options')
    .allowExcessArguments(false)
    .action(async (_options, command: Command) => {
      const { connectionString, endpointOf } = await import('./connection-strings.js');
      const config = read(command);
      for (const account of config.accounts) print(connectionString(endpointOf(config), account));
    });

  addSasOptions(addServerOptions(program.command('sas')))
    .description('print a signed URL for a table or the account')
    .allowExcessArguments(false)
    .action(async (options, command: Command) => {
      const { signUrl } = await import('./sas.js');
      print(signUrl(read(command), options, Date.now()));
    });

  addServerOptions(program.command('exec'))
    .description('run a command beside a server of its own, in memory on a free port, and end as it ends')
    .usage('[options] -- <command> [arguments...]')
    .argument('<command...>', 'finds the server by AZURE_STORAGE_CONNECTION_STRING and AZURE_TABLES_ENDPOINT')
    .passThroughOptions()
    .action(async (words: readonly string[], _options, command: Command) => {
      const { exec } = await import('./exec.js');
      const config = read(command);
      for (const note of config.notes) process.stderr.write(`${note}\n`);
      await checkDebugFile(config.debug);
      exit(await exec(config, words));
    });

  addServerOptions(program.command('healthcheck'))
    .description('ask a server with these options whether it serves requests; the exit code says it too')
    .allowExcessArguments(false)
    .action(async (_options, command: Command) => {
      const { checkHealth } = await import('./healthcheck.js');
      const { healthy, line } = await checkHealth(read(command));
      if (healthy) print(line);
      else process.stderr.write(`${line}\n`);
      exit(healthy ? 0 : 1);
    });

  addServerOptions(program.command('doctor'))
    .description('find out why a server with these options does not start or cannot be used')
    .allowExcessArguments(false)
    .action(async (_options, command: Command) => {
      const [{ examine }, { findingLines }] = await Promise.all([
        import('./doctor/examine.js'),
        import('./doctor/finding.js'),
      ]);
      const config = read(command);
      const findings = await examine(config, Date.now());
      for (const note of config.notes) print(note);
      for (const finding of findings) print(findingLines(finding).join('\n'));
      exit(findings.some(({ remedy }) => remedy !== undefined) ? 1 : 0);
    });
  return program;
}

/** Azurite's switches take a value: `--loose=true` is `--loose`, and with `false` it is as if it were absent. */
function withoutSwitchValues(args: readonly string[]): readonly string[] {
  return args.flatMap((arg) => {
    const [, flag, value] = /^(--\w+)=(true|false)$/i.exec(arg) ?? [];
    const isSwitch = optionNames.some((name) =>
      rowOf(name)
        .flags?.split(', ')
        .includes(flag ?? ''),
    );
    if (!isSwitch) return [arg];
    return value?.toLowerCase() === 'true' && flag !== undefined ? [flag] : [];
  });
}

/** Settings for a command line whose words are no command: a slip of the pen, or nothing to Azurite's users. */
function withoutWords(name: ProgramName, command: Command, config: CommandConfig): CommandConfig {
  const [word] = command.args;
  if (word === undefined) return config;
  // Azurite steps over words, so command lines that it took must not fail here.
  if (name !== 'tabularium')
    return { ...config, notes: [...config.notes, `'${shownValue(word)}' is not an option; it has no effect.`] };
  const names = command.commands.map((one) => one.name());
  const meant = nearestName(word, names);
  const hint = meant === undefined ? `There are: ${names.join(', ')}.` : `Did you mean '${meant}'?`;
  throw new ConfigError(`There is no command '${shownValue(word)}'. ${hint}`);
}

function ownVersion(): string {
  const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'));
  return String(version);
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}
