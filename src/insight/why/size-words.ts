import type { TableErrorCode } from '../../protocol/error-codes.js';
import type { Explanation } from '../../protocol/explanation.js';
import type { RefusalEvidence, SentSize } from '../../protocol/refusal-evidence.js';
import type { EntityLimits } from '../../protocol/service-traits.js';

type EntitySize = Extract<RefusalEvidence, { check: 'entity-size' }>;

/** Explains which part of an entity is too large, and how large it may be in the service of the account. */
export function explainSize(
  code: TableErrorCode,
  { bytes, count, properties, traits }: EntitySize,
): Partial<Explanation> {
  const details = properties.map((one) => ({ name: one.name, value: `${one.bytes} bytes` }));
  const [first] = properties;
  const { limits, propertyOrder } = traits;
  switch (code) {
    case 'TooManyProperties': {
      // Where the order is kept, the places of both keys are kept among the properties.
      const max = propertyOrder === 'written' ? limits.properties - 2 : limits.properties;
      const sent = count > max ? '' : ', and with those already stored there are more';
      return {
        cause: 'too-many-properties',
        text: `The request has ${count} properties${sent}; ${max} are allowed, besides the keys.`,
      };
    }
    case 'PropertyNameTooLong':
      return {
        cause: 'property-name-too-long',
        text: `The name ${first?.name ?? ''} has ${first?.name.length ?? 0} characters; ${limits.nameUnits} are allowed.`,
      };
    case 'PropertyValueTooLarge':
      return { cause: 'entity-size', text: first ? explainValue(first, limits) : '', details };
    default: {
      const largest = first ? ` The largest property, ${first.name}, has ${first.bytes} bytes.` : '';
      const text = `The sent properties have ${bytes} bytes together; an entity may have ${limits.bytes}.${largest}`;
      return { cause: 'entity-size', text, details };
    }
  }
}

function explainValue({ name, type, bytes }: SentSize, limits: EntityLimits): string {
  if (type === undefined) {
    const units = name === 'PartitionKey' ? limits.partitionKeyUnits : limits.rowKeyUnits;
    return `The ${name} has ${bytes} bytes; ${2 * units} (${units} characters) are allowed.`;
  }
  // The formula of the service adds four bytes for the length.
  const value = bytes - 4;
  const max =
    type === 'Edm.String' ? `${2 * limits.stringUnits} (${limits.stringUnits} characters)` : limits.binaryBytes;
  return `The property ${name} has ${value} bytes; ${max} are allowed.`;
}
