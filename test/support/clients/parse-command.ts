import { Command } from 'commander';
import {
  addAskOptions,
  addServerOptions,
  type CommandConfig,
  readConfig,
} from '../../../src/commands/options/server-options.js';
import { createProgram } from '../../../src/commands/program.js';
import { signUrl } from '../../../src/commands/sas/sas.js';
import { addSasOptions } from '../../../src/commands/sas/sas-options.js';
import type { ProgramName } from '../../../src/commands/start/start-lines.js';

/** Parses arguments with a command of the program. Errors are thrown instead of ending the process. */
function parse(command: Command, args: readonly string[]): Command {
  return command
    .exitOverride()
    .configureOutput({ writeErr: () => {} })
    .parse(args, { from: 'user' });
}

/** Returns the settings for these options. */
export function configOf(args: readonly string[], environment: NodeJS.ProcessEnv = {}): CommandConfig {
  return readConfig(parse(addServerOptions(new Command('tabularium')), args), environment);
}

/** Returns the settings for these options of a command that asks a running server. */
export function askConfigOf(args: readonly string[], environment: NodeJS.ProcessEnv): CommandConfig {
  return readConfig(parse(addAskOptions(new Command('tabularium')), args), environment);
}

/** Returns what `tabularium sas` prints for these options. */
export function sasOf(args: readonly string[], environment: NodeJS.ProcessEnv = {}, now = Date.now()): string {
  const command = parse(addSasOptions(addServerOptions(new Command('sas'))), args);
  return signUrl(readConfig(command, environment), command.opts(), now);
}

/** Returns the help text of the program, or of one of its commands. */
export function helpOf(command?: string, name: ProgramName = 'tabularium'): string {
  const program = createProgram(name, {}, () => {});
  const asked = command === undefined ? program : program.commands.find((one) => one.name() === command);
  if (!asked) throw new Error(`there is no command ${command}`);
  let text = '';
  asked.configureOutput({ writeOut: (part) => (text += part), getOutHelpWidth: () => 500 }).outputHelp();
  return text;
}
