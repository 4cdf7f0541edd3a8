import type { TableErrorCode } from '../protocol/errors.js';
import {
  binaryBytesMax,
  entityBytesMax,
  entityPropertiesMax,
  keyUnitsMax,
  propertyNameUnitsMax,
  stringUnitsMax,
} from '../protocol/limits.js';
import type { RefusalEvidence, SentSize } from '../protocol/refusal-evidence.js';
import type { Explanation } from './explanation.js';

type EntitySize = Extract<RefusalEvidence, { check: 'entity-size' }>;

/** Explains which part of an entity is too large, and how large it may be in a storage account. */
export function explainSize(code: TableErrorCode, { bytes, count, properties }: EntitySize): Partial<Explanation> {
  const details = properties.map((one) => ({ name: one.name, value: `${one.bytes} bytes` }));
  const [first] = properties;
  switch (code) {
    case 'TooManyProperties': {
      const sent = count > entityPropertiesMax ? '' : ', and with those already stored there are more';
      return {
        cause: 'too-many-properties',
        text: `The request has ${count} properties${sent}; a storage account allows ${entityPropertiesMax}, besides the keys.`,
      };
    }
    case 'PropertyNameTooLong':
      return {
        cause: 'property-name-too-long',
        text: `The name ${first?.name ?? ''} has ${first?.name.length ?? 0} characters; ${propertyNameUnitsMax} are allowed.`,
      };
    case 'PropertyValueTooLarge':
      return { cause: 'entity-size', text: first ? explainValue(first) : '', details };
    default: {
      const largest = first ? ` The largest property, ${first.name}, has ${first.bytes} bytes.` : '';
      const text = `The sent properties have ${bytes} bytes together; an entity may have ${entityBytesMax}.${largest}`;
      return { cause: 'entity-size', text, details };
    }
  }
}

function explainValue({ name, type, bytes }: SentSize): string {
  if (type === undefined)
    return `The ${name} has ${bytes} bytes; ${2 * keyUnitsMax} (${keyUnitsMax} characters) are allowed.`;
  // The formula of the service adds four bytes for the length.
  const value = bytes - 4;
  const max = type === 'Edm.String' ? `${2 * stringUnitsMax} (${stringUnitsMax} characters)` : String(binaryBytesMax);
  return `The property ${name} has ${value} bytes; ${max} are allowed.`;
}
