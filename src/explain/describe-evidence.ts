import type { TableError } from '../protocol/errors.js';
import type { RefusalEvidence } from '../protocol/refusal-evidence.js';
import { outsideSignedRange } from './explain-signature.js';
import type { Explanation } from './explanation.js';
import { refusalWords } from './refusal-words.js';

const keyAdvice = 'Keys cannot have slashes, backslashes, #, ? and control characters. Write them in another way.';

/** What Cosmos DB does not have, in words. Source: cosmos 7; cosmos 14. */
const missingFeatures = {
  patch: {
    text: 'Cosmos DB does not take the verb PATCH.',
    advice:
      'Send POST with X-HTTP-Method: MERGE. SDKs do so if they know the URL for one of Cosmos DB: by the host localhost, and in Go ' +
      'by localhost with the port 8902. For 127.0.0.1 they send PATCH.',
  },
  comp: {
    text: 'Cosmos DB has no service properties, no access policies of tables and no statistics.',
    advice: 'Leave this call out for Cosmos DB.',
  },
  'signed-range': {
    text: 'Cosmos DB has no shared access signatures with a range of keys.',
    advice: 'Sign the whole table, without spk, srk, epk and erk.',
  },
} as const satisfies Record<string, Pick<Explanation, 'text' | 'advice'>>;

/** Returns the explanation of an error from the values that its check compared; undefined if it recorded none of these. */
export function describeEvidence(error: TableError): Explanation | undefined {
  const { code, variant } = error;
  const evidence = error.evidence();
  const usual = { cause: code, ...refusalWords[code] };
  if (evidence) return { ...usual, ...wordsOf(evidence) };
  if (variant?.name !== 'value-out-of-range') return undefined;
  const { property, value } = variant;
  const isKey = property === 'PartitionKey' || property === 'RowKey';
  return {
    cause: isKey ? 'key-character' : 'value-out-of-range',
    text: isKey
      ? `The ${property} '${value}' has a character that keys cannot have.`
      : `The property ${property} cannot have the value '${value}'.`,
    advice: isKey ? keyAdvice : 'A date is between 1601 and 9999.',
  };
}

function wordsOf(evidence: RefusalEvidence): Partial<Explanation> {
  switch (evidence.check) {
    case 'entity-size': {
      const { bytes, properties } = evidence;
      const [largest] = properties;
      return {
        cause: 'entity-size',
        text: `${largest ? `The property ${largest.name} has ${largest.bytes} bytes; the` : 'The'} sent properties have ${bytes} bytes together.`,
        details: properties.map((one) => ({ name: one.name, value: `${one.bytes} bytes` })),
      };
    }
    case 'signed-range':
      return outsideSignedRange(evidence, 'outside');
    case 'same-row':
      return {
        cause: 'same-entity-twice',
        text: `The operations ${evidence.first} and ${evidence.second} of the transaction, counted from 0, name the entity with the RowKey '${evidence.rowKey}'.`,
      };
    case 'key-character':
      return {
        cause: 'key-character',
        text: `The ${evidence.key} '${evidence.value}' has a character that keys cannot have.`,
        advice: keyAdvice,
      };
    case 'property':
      return { cause: 'property', text: `The property ${evidence.property} cannot be read or stored.` };
    case 'not-in-service':
      return { cause: `not-in-service-${evidence.feature}`, ...missingFeatures[evidence.feature] };
    case 'fault':
      return {
        cause: 'fault',
        text: `The fault rule ${evidence.rule} caused this answer. ${evidence.effect}`,
        advice: 'Remove the rule, or wait until it ends.',
      };
    case 'body-syntax':
      return wordsOfBody(evidence);
    default:
      return {};
  }
}

function wordsOfBody({ format, fault }: Extract<RefusalEvidence, { check: 'body-syntax' }>): Partial<Explanation> {
  const cause = format === 'JSON' ? 'body-not-json' : 'body-not-xml';
  const what = format === 'JSON' ? 'The body is not one JSON object' : 'The body is not well-formed XML';
  if (!fault) return { cause, text: `${what}.` };
  const { expected, found, place } = fault;
  const { at, line, column } = place;
  return {
    cause,
    text: `${what}: at position ${at}, line ${line}, column ${column}, there is ${found}, and ${expected} is expected.`,
    advice: `Correct the body there. Write it with a library for ${format}.`,
    at,
    length: 1,
  };
}
