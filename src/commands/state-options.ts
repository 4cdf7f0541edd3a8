import { Argument, type Command } from 'commander';
import { branchVerbs, snapshotVerbs } from './verb-words.js';

/** Adds the options of `tabularium reset`. The names are the fields of `POST /_tabularium/reset`. */
export function addResetOptions(command: Command): Command {
  return command
    .option('--account <name>', 'only this account')
    .option('--table <name>', 'only this table, which stays and is empty')
    .option('--tablePrefix <text>', 'only tables whose names begin with this text')
    .option('--partition <key>', 'only this partition of the table')
    .option('--to <state>', 'empty, or the name of a snapshot; the snapshot seed if there is one')
    .option('--json', 'print the answer as JSON');
}

/** Adds the arguments and options of `tabularium snapshot`. */
export function addSnapshotOptions(command: Command): Command {
  return command
    .addArgument(new Argument('<verb>', 'what to do').choices(Object.keys(snapshotVerbs)))
    .argument('[name]', 'the name of the snapshot')
    .option('--account <name>', 'only this account')
    .option('--json', 'print the answer as JSON');
}

/** Adds the arguments and options of `tabularium branch`. */
export function addBranchOptions(command: Command): Command {
  return command
    .addArgument(new Argument('<verb>', 'what to do').choices(Object.keys(branchVerbs)))
    .argument('[name]', 'the account of the branch to delete')
    .option('--from <name>', 'a snapshot, or an account as it is now; the snapshot seed if there is one')
    .option('--account <name>', 'the account of the snapshot; the first one')
    .option('--seconds <count>', 'when it ends by itself (default 3600)', Number)
    .option('--json', 'print the answer as JSON');
}

/** Adds the arguments and options of `tabularium diff`. */
export function addDiffOptions(command: Command): Command {
  return command
    .argument('<from>', 'the earlier state: a snapshot, or an account as it is now')
    .argument('[to]', 'the later state; the account of the first one as it is now')
    .option('--account <name>', 'the account of snapshots; the first one')
    .option('--table <name>', 'only this table')
    .option('--limit <count>', 'the most differences (default 1000)')
    .option('--json', 'print the answer as JSON, with the entities of both states');
}

/** Adds the arguments and options of `tabularium undo`. */
export function addUndoOptions(command: Command): Command {
  return command
    .argument('[id]', 'the id of the call, as its answer had it; the newest one')
    .option('--list', 'print what can be undone')
    .option('--json', 'print the answer as JSON');
}
