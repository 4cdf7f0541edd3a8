import type { ErrorVariant, FilterGap, TableError } from '../../protocol/errors.js';
import { type CatalogueEntry, type ErrorFormat, errorCatalogue } from './error-catalogue.js';

/** Returns status, text and format of an error: the row of its code, with the changes of its variant. */
export function describeError({ code, variant }: TableError): CatalogueEntry {
  const entry = errorCatalogue[code];
  return variant === undefined ? entry : { ...entry, ...describeVariant(variant) };
}

/** The fields that a variant changes in the row of its code. */
interface VariantEntry {
  readonly status?: number;
  readonly tenant?: string | undefined;
  readonly message?: string;
  readonly format?: ErrorFormat;
  readonly partFormat?: ErrorFormat;
}

type EntryOf = {
  readonly [Name in ErrorVariant['name']]: (variant: Extract<ErrorVariant, { readonly name: Name }>) => VariantEntry;
};

/** The names of the operators in the texts of the service. */
const operatorKind = {
  and: 'And',
  or: 'Or',
  gt: 'GreaterThan',
  ge: 'GreaterThanOrEqual',
  lt: 'LessThan',
  le: 'LessThanOrEqual',
} as const;

/** The names of the missing parts in the texts of the service. */
const gap = {
  expression: 'Expression',
  comma: "')' or ','",
  operator: "')' or operator",
} as const satisfies Record<FilterGap, string>;

const nameLength = 'The specified resource name length is not within the permissible limits.';

/** Text and format of each variant in the storage service. Source: errors 4; query 11. */
const entries: EntryOf = {
  'account-unknown': ({
    accounts,
    ending = `This server does not have that account; it has: ${accounts.join(', ')}.`,
  }) => ({
    format: 'front-end',
    message: `The specified resource does not exist. ${ending}`,
  }),
  'host-not-allowed': ({ advice }) => ({ message: advice }),
  'body-not-json': () => ({ message: 'The body is not JSON.' }),
  'path-control-character': ({ hasNul }) => ({ format: hasNul ? 'web-server-closing' : 'web-server' }),
  'target-too-long': ({ max }) => ({ status: 414, message: `The requested URI is longer than ${max} bytes.` }),
  'content-type-missing': () => ({ message: 'Content-Type header value missing.', format: 'early', status: 400 }),
  'partition-key-missing': () => ({}),
  'path-syntax': () => ({ message: 'Bad Request - Error in query syntax.' }),
  'path-string-unterminated': unterminated,
  'path-character': unknownCharacter,
  'path-without-table': () => ({ format: 'front-end' }),
  'key-count': ({ resource }) => ({
    message:
      'The number of keys specified in the URI does not match number of key properties ' +
      `for the resource '${resource}'.`,
  }),
  'path-key-character': () => ({ format: 'engine', partFormat: 'early' }),
  'path-name-length': () => ({ message: nameLength }),
  'path-name-characters': () => ({ format: 'early' }),
  'comp-unknown': () => ({ format: 'unmatched' }),
  'xml-not-accepted': () => ({ format: 'xml' }),
  'preflight-header-missing': () => ({ format: 'xml', message: 'A required CORS header is not present.' }),
  'etag-malformed': ({ etag }) => ({
    message:
      `The etag value '${etag}' specified in one of the request headers is not valid. ` +
      'Please make sure only one etag value is specified and is valid.',
  }),
  'if-none-match': ({ verb }) => ({
    message: `If-None-Match HTTP header cannot be specified for ${verb} operations.`,
  }),
  'caller-address': ({ address }) => ({
    message: `This request is not authorized to perform this operation using this source IP ${address}.`,
  }),
  // The code is that of a malformed header; the answer is a challenge. Source: auth 5.
  'bearer-challenged': ({ tenant }) => ({ ...errorCatalogue.NoAuthenticationInformation, format: 'token', tenant }),
  'tenant-challenged': ({ tenant }) => ({ tenant }),
  // Storage accounts have these ranges.
  'signed-range': () => ({}),
  // Cosmos DB has its own texts for these.
  'bearer-rejected': () => ({}),
  'signature-wrong': () => ({}),
  'table-name-too-long': () => ({}),
  'table-name-character': () => ({}),
  'table-name-cut': () => ({}),
  'property-name': () => ({}),
  'batch-malformed': () => ({}),
  'partition-keys': () => ({}),
  'policy-field-repeated': () => ({ format: 'front-end' }),
  'table-name-length': () => ({
    format: 'engine',
    message: nameLength,
  }),
  'table-name-reserved': () => ({ format: 'engine' }),
  'value-unreadable': () => ({ message: 'An error occurred while processing this request.' }),
  'value-out-of-range': ({ property, value }) => ({
    message: `The '${property}' parameter of value '${value}' is out of range.`,
  }),
  'operation-empty': () => ({ message: 'An error occurred while processing this request.' }),
  'changes-too-many': ({ max }) => ({
    format: 'engine',
    message: `The batch request operation exceeds the maximum ${max} changes per change set.`,
  }),
  'query-input': () => ({ format: 'engine' }),
  'select-syntax': ({ position }) => ({ message: `An identifier was expected at position ${position}.` }),
  'filter-too-deep': () => ({ message: 'Recursion limit reached.' }),
  'filter-string-unterminated': unterminated,
  'filter-character': unknownCharacter,
  'filter-syntax': ({ missing, position, text }) => {
    const fault = missing === undefined ? 'Syntax error' : `${gap[missing]} expected`;
    return { message: `${fault} at position ${position} in '${text}'.` };
  },
  'filter-literal': ({ type, literal, position, text }) => ({
    message: `Unrecognized 'Edm.${type}' literal '${literal}' at '${position}' in '${text}'.`,
  }),
  'filter-not-boolean': () => ({ message: 'The $filter expression must evaluate to a single boolean value.' }),
  'filter-operand-type': ({ type }) => ({
    message:
      'A unary operator with an incompatible type was detected. ' +
      `Found operand type '${type}' for operator kind 'Not'.`,
  }),
  'filter-operand-types': ({ left, right, operator }) => ({
    message:
      'A binary operator with incompatible types was detected. ' +
      `Found operand types '${left ?? '<null>'}' and '${right ?? '<null>'}' for operator kind '${operatorKind[operator]}'.`,
  }),
  'filter-null-operator': ({ operator }) => ({
    message: `The operator '${operatorKind[operator]}' is not supported for the 'null' literal; only equality checks are supported.`,
  }),
  'filter-function-unknown': ({ function: name }) => ({
    message: `An unknown function with name '${name}' was found.`,
  }),
};

function unterminated({ text }: { readonly text: string }): VariantEntry {
  return { message: `There is an unterminated string literal at position ${text.length} in '${text}'.` };
}

function unknownCharacter({
  character,
  position,
  text,
}: {
  readonly character: string;
  readonly position: number;
  readonly text: string;
}): VariantEntry {
  return { message: `Syntax error: character '${character}' is not valid at position ${position} in '${text}'.` };
}

function describeVariant<Name extends ErrorVariant['name']>(
  variant: Extract<ErrorVariant, { readonly name: Name }>,
): VariantEntry {
  return (entries[variant.name as Name] as (variant: ErrorVariant) => VariantEntry)(variant);
}
