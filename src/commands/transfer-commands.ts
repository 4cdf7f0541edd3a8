import { type Command, Option } from 'commander';
import { importModes, transferFormats } from '../transfer/contract.js';
import { print, printError } from './output.js';
import { addAskOptions, type CommandConfig } from './server-options.js';

/** The exit code of an import that has refused rows. */
export const refusedRowsCode = 2;

/** Adds the commands that import data into a running server and export it. `read` returns the settings of a command. */
export function addTransferCommands(
  program: Command,
  read: (command: Command) => CommandConfig,
  exit: (code: number) => void,
): void {
  addAskOptions(program.command('import'))
    .description(
      `import files or folders into a running server; the exit code is ${refusedRowsCode} if rows are refused`,
    )
    .argument('<path...>', 'files that end in .ndjson, .json or .csv, folders of them, or - for standard input')
    .option('--account <name>', 'the account; the one that the data names, or the first one')
    .option('--table <name>', 'the table for everything; the one that the data or the file names')
    .addOption(new Option('--format <format>', 'the format; told by the ending of the name').choices(transferFormats))
    .addOption(new Option('--mode <mode>', 'what to do with entities that exist (default insert)').choices(importModes))
    .option('--strict', 'import nothing of a file if one of its rows is refused')
    .option('--dryRun', 'check the rows and import none')
    .option('--infer', 'choose types for columns of CSV that have none')
    .option('--map <file>', 'JSON file that says where the columns of CSV go')
    .option('--json', 'print the answer of each file as JSON')
    .action(async (paths: readonly string[], options, command: Command) => {
      const { importPaths } = await import('./import.js');
      const isRefused = await importPaths(read(command), { ...options, paths }, { print, printProgress: printError });
      exit(isRefused ? refusedRowsCode : 0);
    });

  addAskOptions(program.command('export'))
    .description('export the data of a running server, as it is at one moment')
    .option('--account <name>', 'only this account')
    .option('--table <name>', 'only this table')
    .addOption(new Option('--format <format>', 'the format; that of the file, or ndjson').choices(transferFormats))
    .option('--filter <filter>', 'only the entities that this $filter finds')
    .option('--select <names>', 'only these properties, as A,B')
    .option('-o, --output <path>', 'a file, or a folder that gets a file for each table; standard output')
    .action(async (options, command: Command) => {
      const { exportData } = await import('./export.js');
      await exportData(read(command), options, printError);
    });
}
