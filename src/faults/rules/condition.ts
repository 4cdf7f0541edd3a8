import { didYouMean } from '../../nearest-name.js';
import { anyHeader } from '../../protocol/header-fields.js';
import { lowerAscii } from '../../protocol/names.js';
import { type OperationName, operationNames, operationsThat } from '../../protocol/operation-names.js';
import { anyOf, flag, list, name, object, optional, text } from '../../schema.js';
import type { FaultCondition } from '../contract.js';
import type { RuledRequest } from '../effects/effect.js';
import { checkFields, InvalidRule } from './invalid-rule.js';

/** The `word` of operations. */
const shortWords = ['insert', 'get', 'query', 'update', 'merge', 'upsert', 'delete', 'transaction'] as const;

/** Operations by word: short words, and the service's names without spaces, all in lower case. */
const words: ReadonlyMap<string, readonly OperationName[]> = new Map<string, readonly OperationName[]>([
  ...operationNames.map((name) => [lowerAscii(name.replaceAll(' ', '')), [name]] as const),
  ...shortWords.map((one) => [one, operationsThat(({ word }) => word === one)] as const),
  ['write', operationsThat(({ writes }) => writes)],
  ['read', operationsThat(({ writes }) => !writes)],
]);

/** Returns the operations of a word. `path` names the word in messages. Errors: InvalidRule. */
function operationsOf(word: string, path: string): readonly OperationName[] {
  const operations = words.get(lowerAscii(word).replaceAll(' ', ''));
  if (operations) return operations;
  throw new InvalidRule(`${path} cannot be '${word.slice(0, 60)}'. ${didYouMean(word, [...words.keys()])}`);
}

/** Whether a request meets the conditions of a rule. */
export type ConditionTest = (request: RuledRequest) => boolean;

const conditionFields = {
  account: optional(name('account')),
  table: optional(name('table')),
  operation: optional(
    anyOf('operation', [name('operation'), list('operations', name('operation'))], {
      wanted: 'the name of an operation, or a list of names',
    }),
  ),
  partitionKey: optional(text('partition')),
  partitionKeyPrefix: optional(name('how the partition begins')),
  rowKey: optional(text('row')),
  header: optional(
    object('Header', 'header', { name: name('name', { example: 'x-ms-version' }), value: optional(text('value')) }),
  ),
  userAgent: optional(name('part of the User-Agent')),
  scoped: optional(flag('whether the request names the rule')),
};

/** Reads the conditions of a rule. `place` is their name in messages. Errors: InvalidRule. */
export function readCondition(value: unknown, place: string): FaultCondition {
  const when: FaultCondition = checkFields(conditionFields, value, place);
  const { operation, partitionKey, partitionKeyPrefix } = when;
  const path = `${place}.operation`;
  if (operation?.length === 0) throw new InvalidRule(`${path} must name an operation.`);
  for (const word of [operation ?? []].flat()) operationsOf(word, path);
  if (partitionKey !== undefined && partitionKeyPrefix !== undefined) {
    throw new InvalidRule(`${place} has both partitionKey and partitionKeyPrefix. Use only one.`);
  }
  return when;
}

/** Returns a test of a rule's conditions, the cheap ones first. `id` identifies the rule. */
export function compileCondition(when: FaultCondition, id: string): ConditionTest {
  const tests = [...headTests(when, id), ...addressTests(when)];
  return (request) => tests.every((test) => test(request));
}

/** Returns the tests that need no body. */
function headTests(when: FaultCondition, id: string): readonly ConditionTest[] {
  const tests: ConditionTest[] = [];
  const { account, operation, userAgent, header: wanted, scoped } = when;
  if (account !== undefined) tests.push((request) => request.account === account);
  if (operation !== undefined) {
    const words = typeof operation === 'string' ? [operation] : operation;
    const names = new Set<OperationName>(words.flatMap((word) => operationsOf(word, 'operation')));
    tests.push((request) => names.has(request.operation));
  }
  if (userAgent !== undefined) {
    const part = lowerAscii(userAgent);
    tests.push(({ received }) => lowerAscii(received.headers['user-agent'] ?? '').includes(part));
  }
  if (wanted !== undefined) {
    const name = lowerAscii(wanted.name);
    tests.push(({ received }) => {
      const sent = anyHeader(received.headers, name);
      return wanted.value === undefined ? sent !== undefined : sent === wanted.value;
    });
  }
  if (scoped !== undefined) {
    tests.push(({ received }) => (received.headers['x-tabularium-fault'] === id) === scoped);
  }
  return tests;
}

/** Returns the tests of table and keys, which may parse the body. */
function addressTests(when: FaultCondition): readonly ConditionTest[] {
  const tests: ConditionTest[] = [];
  const { table, partitionKey, partitionKeyPrefix: prefix, rowKey } = when;
  if (table !== undefined) {
    const name = lowerAscii(table);
    tests.push((request) => lowerAscii(request.addressed().table ?? '') === name);
  }
  if (partitionKey !== undefined || prefix !== undefined || rowKey !== undefined) {
    tests.push((request) =>
      request
        .addressed()
        .keys.some(
          (key) =>
            (partitionKey === undefined || key.partitionKey === partitionKey) &&
            (prefix === undefined || key.partitionKey.startsWith(prefix)) &&
            (rowKey === undefined || key.rowKey === rowKey),
        ),
    );
  }
  return tests;
}
