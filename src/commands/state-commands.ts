import type { Command } from 'commander';
import type { BranchQuestion } from './branch.js';
import { print } from './output.js';
import { addAskOptions, type CommandConfig } from './server-options.js';
import type { SnapshotQuestion } from './snapshot.js';
import {
  addBranchOptions,
  addDiffOptions,
  addResetOptions,
  addSnapshotOptions,
  addUndoOptions,
} from './state-options.js';

/** The exit codes of `tabularium diff`, as `diff` of POSIX has them: something differs; nothing was compared. */
const [differentCode, diffFailedCode] = [1, 2];

/** Adds the commands that change the data of a running server as a whole. `read` returns the settings of a command. */
export function addStateCommands(
  program: Command,
  read: (command: Command) => CommandConfig,
  exit: (code: number) => void,
): void {
  addResetOptions(addAskOptions(program.command('reset')))
    .description('reset a running server with these options, or a part of its data')
    .action(async (options, command: Command) => {
      const { reset } = await import('./reset.js');
      await reset(read(command), options, print);
    });

  addSnapshotOptions(addAskOptions(program.command('snapshot')))
    .description('take, restore, list, show or delete a snapshot of a running server')
    .action(async (verb: SnapshotQuestion['verb'], name: string | undefined, options, command: Command) => {
      const { useSnapshots } = await import('./snapshot.js');
      await useSnapshots(read(command), { ...options, verb, name }, print);
    });

  addBranchOptions(addAskOptions(program.command('branch')))
    .description('make a throw-away account of a running server that begins as a copy, list or delete them')
    .action(async (verb: BranchQuestion['verb'], name: string | undefined, options, command: Command) => {
      const { useBranches } = await import('./branch.js');
      await useBranches(read(command), { ...options, verb, name }, print);
    });

  addDiffOptions(addAskOptions(program.command('diff')))
    .description(
      'print what differs between two snapshots or accounts of a running server; the exit code is 1 if anything does, and 2 after an error',
    )
    .exitOverride((error) => {
      exit(diffFailedCode);
      throw error;
    })
    .action(async (from: string, to: string | undefined, options, command: Command) => {
      exit(diffFailedCode);
      const { printDiff } = await import('./diff.js');
      exit((await printDiff(read(command), { ...options, from, to }, print)) ? differentCode : 0);
    });

  addUndoOptions(addAskOptions(program.command('undo')))
    .description('give back what a reset, a restore or a deletion of the last ten minutes has removed from a server')
    .action(async (id: string | undefined, options, command: Command) => {
      const { undo } = await import('./undo.js');
      await undo(read(command), { ...options, id }, print);
    });
}
