import { lowerAscii } from '../../protocol/names.js';
import { type OperationName, operationNames, operationsThat } from '../../protocol/operation-names.js';
import { hint, InvalidRule } from './read-value.js';

/** The words that stand for operations by their own facts. */
const shortWords = ['insert', 'get', 'query', 'update', 'merge', 'upsert', 'delete', 'transaction'] as const;

/** The words of rules for operations: short ones, and the names of the service without spaces, all in lower case. */
const words: ReadonlyMap<string, readonly OperationName[]> = new Map<string, readonly OperationName[]>([
  ...operationNames.map((name) => [lowerAscii(name.replaceAll(' ', '')), [name]] as const),
  ...shortWords.map((one) => [one, operationsThat(({ word }) => word === one)] as const),
  ['write', operationsThat(({ writes }) => writes)],
  ['read', operationsThat(({ writes }) => !writes)],
]);

/** Returns the operations that a word of a rule stands for. `path` names the word in messages. Errors: InvalidRule. */
export function operationsOf(word: string, path: string): readonly OperationName[] {
  const found = words.get(lowerAscii(word).replaceAll(' ', ''));
  if (found) return found;
  throw new InvalidRule(`${path} cannot be '${word.slice(0, 60)}'. ${hint(word, [...words.keys()])}`);
}
