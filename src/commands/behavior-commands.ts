import { Argument, type Command } from 'commander';
import type { ClockQuestion } from './clock.js';
import type { FaultQuestion } from './fault.js';
import { print } from './output.js';
import { addAskOptions, type CommandConfig } from './server-options.js';
import { clockVerbs, faultVerbs } from './verb-words.js';

/** Adds the commands that change how a running server behaves. `read` returns the settings of a command. */
export function addBehaviorCommands(program: Command, read: (command: Command) => CommandConfig): void {
  addAskOptions(program.command('fault'), 'several')
    .description('make requests to a running server fail by rules, list the rules, delete one or clear all')
    .addArgument(new Argument('<verb>', 'what to do').choices(Object.keys(faultVerbs)))
    .argument(
      '[words...]',
      "for add: a rule as 'table=Jobs op=insert fault=503 times=2', or a profile; for delete: an id",
    )
    .option('--json', 'print the answer as JSON')
    .action(async (verb: FaultQuestion['verb'], words: readonly string[], options, command: Command) => {
      const { useFaults } = await import('./fault.js');
      await useFaults(read(command), { ...options, verb, words }, print);
    });

  addAskOptions(program.command('clock'))
    .description('show, freeze, advance or resume the clock of a running server, by which it stamps entities')
    .addArgument(new Argument('<verb>', 'what to do').choices(Object.keys(clockVerbs)))
    .argument(
      '[value]',
      'for freeze: an instant, as 2030-01-31T12:00:00Z, or now; for advance: a length of time, as 1h',
    )
    .option('--json', 'print the answer as JSON')
    .action(async (verb: ClockQuestion['verb'], value: string | undefined, options, command: Command) => {
      const { useClock } = await import('./clock.js');
      await useClock(read(command), { ...options, verb, value }, print);
    });
}
