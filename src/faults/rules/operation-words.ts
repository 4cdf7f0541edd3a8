import { lowerAscii } from '../../protocol/names.js';
import { type OperationName, operationNames } from '../../protocol/operation-names.js';
import { hint, InvalidRule } from './read-value.js';

/** The operations that change entities one by one or together. */
const entityWrites: readonly OperationName[] = [
  'Insert Entity',
  'Update Entity',
  'Insert Or Replace Entity',
  'Merge Entity',
  'Insert Or Merge Entity',
  'Delete Entity',
  'Entity Group Transaction',
];

const tableWrites: readonly OperationName[] = [
  'Create Table',
  'Delete Table',
  'Set Table ACL',
  'Set Table Service Properties',
];

const reads = operationNames.filter((name) => !entityWrites.includes(name) && !tableWrites.includes(name));

/** The words of rules for operations: short ones, and the names of the service without spaces, all in lower case. */
const words: ReadonlyMap<string, readonly OperationName[]> = new Map<string, readonly OperationName[]>([
  ...operationNames.map((name) => [lowerAscii(name.replaceAll(' ', '')), [name]] as const),
  ['insert', ['Insert Entity']],
  ['get', ['Get Entity']],
  ['query', ['Query Entities']],
  ['update', ['Update Entity']],
  ['merge', ['Merge Entity']],
  ['upsert', ['Insert Or Replace Entity', 'Insert Or Merge Entity']],
  ['delete', ['Delete Entity']],
  ['transaction', ['Entity Group Transaction']],
  ['write', [...entityWrites, ...tableWrites]],
  ['read', reads],
]);

/** Returns the operations that a word of a rule stands for. `path` names the word in messages. Errors: InvalidRule. */
export function operationsOf(word: string, path: string): readonly OperationName[] {
  const found = words.get(lowerAscii(word).replaceAll(' ', ''));
  if (found) return found;
  throw new InvalidRule(`${path} cannot be '${word.slice(0, 60)}'. ${hint(word, [...words.keys()])}`);
}
