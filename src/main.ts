#!/usr/bin/env node
import { Command, CommanderError } from 'commander';
import { connectionString } from './commands/connection-strings.js';
import { explain } from './commands/explain.js';
import { addSasOptions, signUrl } from './commands/sas.js';
import { addServerOptions, readConfig } from './commands/server-options.js';

const program = addServerOptions(
  new Command('tabularium').description('An Azure Table Storage server for your own machine.'),
)
  .allowExcessArguments(false)
  .enablePositionalOptions()
  .exitOverride()
  .action(async (_options, command: Command) => {
    const { start } = await import('./commands/start.js');
    await start(readConfig(command, process.env));
  });

addServerOptions(program.command('start'))
  .description('serve (what happens without a command, too)')
  .action(async (_options, command: Command) => {
    const { start } = await import('./commands/start.js');
    await start(readConfig(command, process.env));
  });

addServerOptions(program.command('connection-string'))
  .description('print the connection strings of a server with these options')
  .action((_options, command: Command) => {
    const config = readConfig(command, process.env);
    const endpoint = { ...config, scheme: config.tls ? ('https' as const) : ('http' as const) };
    for (const account of config.accounts) process.stdout.write(`${connectionString(endpoint, account)}\n`);
  });

const sas = addServerOptions(program.command('sas'));
addSasOptions(sas)
  .description('print a signed URL for a table or the account')
  .action((options, command: Command) => {
    process.stdout.write(`${signUrl(readConfig(command, process.env), options, Date.now())}\n`);
  });

try {
  await program.parseAsync(process.argv);
} catch (error) {
  const isHelp = error instanceof CommanderError;
  // Commander has already said what was wrong.
  if (!isHelp) process.stderr.write(`${explain(error)}\n`);
  process.exitCode = isHelp ? error.exitCode : 1;
}
