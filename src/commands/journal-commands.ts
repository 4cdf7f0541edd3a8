import type { Command } from 'commander';
import { print } from './output.js';
import { acceptedFile } from './read-accepted.js';
import { reportOption } from './run-plan.js';
import { addAskOptions, type CommandConfig } from './server-options.js';

/** Adds the commands that show what a running server did, and why. `read` returns the settings of a command. */
export function addJournalCommands(program: Command, read: (command: Command) => CommandConfig): void {
  addAskOptions(program.command('coach'))
    .description('print where the requests to a running server work against the design of the service')
    .option('--json', 'print one JSON value on each line')
    .option('--clear', 'forget what was found so far')
    .option('--watch', 'print each finding as it comes, until the server stops or Ctrl+C')
    .addOption(reportOption())
    .option('--accept <file>', `findings to accept, with reasons (default ${acceptedFile}, if it exists)`)
    .action(async (options, command: Command) => {
      const { printFindings } = await import('./coach.js');
      await printFindings(read(command), options, print);
    });
}
