import { readMembers, splitMembers } from '../../entity/body/read-entity.js';
import { type JsonMember, readJsonObject } from '../../entity/body/read-json.js';
import type { SentEntity } from '../../entity/body/sent-entity.js';
import { BodyText } from '../../formats/body-text.js';
import { TableError } from '../../protocol/errors.js';
import { cosmosOperationsMax, int64Max, int64Min } from '../../protocol/limits.js';
import type { RequestRules } from '../request-rules.js';
import { placeKeys } from './key-places.js';
import { cosmosTraits } from './traits.js';

/** The rules of Cosmos DB for requests. Source: cosmos 1; cosmos 6; cosmos 7; cosmos 13. */
export const requestRules: RequestRules = {
  isVersioned: false,
  speaksAtom: false,
  checkTarget: () => {},
  checkPath,
  // Source: cosmos 15.19.
  hasReadOnlySecondary: false,
  // Newer recordings show only the settings. Source: cosmos 7; cosmos 15.13.
  rejectionOfComp: (comp) => (comp === 'properties' ? 'MethodNotAllowed' : 'NotImplemented'),
  acceptFirst: true,
  upsertsNegotiate: true,
  takesPatch: false,
  hasSignedRanges: false,
  // It has its own roles, for its data plane as a whole.
  hasTableRoles: false,
  hasCors: false,
  hasDefaultAccount: true,
  operationsMax: cosmosOperationsMax,
  answersEmptyBatches: false,
  countsParts: true,
  rejectingTransactions: new Set(['InvalidDuplicateRow']),
  readNestedPath,
  openJson: (text) => new CosmosText(text),
};

/** The address of a table whose name has a character that ends the path for the service, bare or encoded. */
const cutAddress = /^tables(?:\(|%28).*(?:[\\?#]|%5c|%3f|%23)/is;

/** Checks that the path of a deletion is that of one table. Errors: MethodNotAllowed. Source: cosmos 15.11. */
function checkPath(path: string, method: string): void {
  if (method !== 'DELETE' || !cutAddress.test(path)) return;
  throw new TableError('MethodNotAllowed', { variant: { name: 'table-name-cut' } });
}

/** Rejects every path of several segments. Errors: InvalidInput. Source: cosmos 15.15. */
function readNestedPath(): never {
  throw new TableError('InvalidInput', { variant: { name: 'path-syntax' } });
}

const { limits } = cosmosTraits;

/** The one name that vanishes. `etag` is an ordinary property. Source: cosmos 2. */
const dropped = 'Etag';

/** The body of a request to Cosmos DB. */
export class CosmosText extends BodyText {
  readonly #text: string;

  constructor(text: string) {
    super(text);
    this.#text = text;
  }

  /** An empty key counts as missing. Errors: as `readEntity`; InvalidInput for an integer beyond Int64. Source: cosmos 2; cosmos 8. */
  override readEntity(): SentEntity {
    return this.#read().sent;
  }

  /** Returns the entity, and all names of the body in its order. */
  #read(): { readonly sent: SentEntity; readonly names: readonly string[] } {
    const { values, types } = splitMembers(readJsonObject(this.#text, limits.bytes / 2));
    const named = types.length === 0 ? types : withoutStringTypes(values, types);
    checkIntegers(values, named);
    const { partitionKey, rowKey, properties } = readMembers(values, named, limits.bytes / 2);
    const sent = {
      partitionKey: partitionKey || undefined,
      rowKey: rowKey || undefined,
      properties: properties.filter(({ name }) => name !== dropped),
    };
    return { sent, names: values.map(({ name }) => name) };
  }

  /** The properties of an insert have the places of the keys among them, which are kept. Source: cosmos 2. */
  override readNewEntity(): SentEntity {
    const { sent, names } = this.#read();
    return { ...sent, properties: placeKeys(names, sent.properties) };
  }
}

/** Drops annotations that call a number or a boolean a string: such a value keeps its own type. Source: cosmos 15.18. */
function withoutStringTypes(values: readonly JsonMember[], types: readonly JsonMember[]): readonly JsonMember[] {
  const others = values.filter(({ kind }) => kind === 'number' || kind === 'boolean');
  if (others.length === 0) return types;
  const names = new Set(others.map(({ name }) => name));
  return types.filter(({ name, kind, json }) => !(kind === 'string' && json === '"Edm.String"' && names.has(name)));
}

/** Shorter numbers fit into Int64. Unit: characters. */
const shortest = String(int64Max).length;

/** The longest text of an Int64. Unit: characters. */
const longest = String(int64Min).length;

/** Checks that integers without an annotation fit into Int64. Errors: InvalidInput. Source: cosmos 15.4. */
function checkIntegers(values: readonly JsonMember[], types: readonly JsonMember[]): void {
  for (const { name, kind, json } of values) {
    if (kind !== 'number' || json.length < shortest || !/^-?\d+$/.test(json)) continue;
    if (types.some((type) => type.name === name && type.kind !== 'null')) continue;
    const value = json.length > longest ? undefined : BigInt(json);
    if (value === undefined || value > int64Max || value < int64Min) {
      throw new TableError('InvalidInput', { evidence: () => ({ check: 'property', property: name }) });
    }
  }
}
