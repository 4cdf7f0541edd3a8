import type { Command } from 'commander';
import { ConfigError } from '../../config.js';
import { settingNames } from '../../settings/settings.js';

/** Options that may have a blank value: an entity may have a blank key. `sas` checks its keys itself. */
const keyOptions = ['partition', 'startPartition', 'startRow', 'endPartition', 'endRow'];

/**
 * Checks that no word and no own option of a command is blank: a script whose variable is not set must not act on everything. The
 * options of a server have checks of their own, and the words of `exec` are those of another program.
 *
 * Errors: ConfigError.
 */
export function checkBlanks(command: Command): void {
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
