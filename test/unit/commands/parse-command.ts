import { Command } from 'commander';
import { addSasOptions, signUrl } from '../../../src/commands/sas.js';
import { addServerOptions, readConfig } from '../../../src/commands/server-options.js';
import type { Config } from '../../../src/config.js';

/** A command as `main.ts` sets it up, that throws instead of ending the process. */
function parse(command: Command, args: readonly string[]): Command {
  return command
    .exitOverride()
    .configureOutput({ writeErr: () => {} })
    .parse(args, { from: 'user' });
}

/** The settings that these options mean. */
export function configOf(args: readonly string[], environment: NodeJS.ProcessEnv = {}): Config {
  return readConfig(parse(addServerOptions(new Command('tabularium')), args), environment);
}

/** What `tabularium sas` prints for these options. */
export function sasOf(args: readonly string[], environment: NodeJS.ProcessEnv = {}, now = Date.now()): string {
  const command = parse(addSasOptions(addServerOptions(new Command('sas'))), args);
  return signUrl(readConfig(command, environment), command.opts(), now);
}
