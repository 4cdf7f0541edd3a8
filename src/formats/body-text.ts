import type { AlikeBodies } from '../entity/body/alike-bodies.js';
import { readEntity } from '../entity/body/read-entity.js';
import { type JsonMember, readJsonObject } from '../entity/body/read-json.js';
import { readJsonString } from '../entity/stored/json-text.js';
import type { RequestBody } from '../operations/operation.js';
import { TableError } from '../protocol/errors.js';
import { stringUnitsMax } from '../protocol/limits.js';
import { readKeyInfoDocument, readPoliciesDocument, readPropertiesDocument } from './xml/read-documents.js';

/** The body of a request as text: entities and tables in JSON, access policies and settings in XML. */
export class BodyText implements RequestBody {
  readonly #text: string;
  readonly #alike: AlikeBodies | undefined;

  /** `alike` reads the entities of all bodies of a server. */
  constructor(text: string, alike?: AlikeBodies) {
    this.#text = text;
    this.#alike = alike;
  }

  readEntity() {
    if (this.#alike) return this.#alike.read(this.#text, stringUnitsMax);
    return readEntity(this.#text, stringUnitsMax);
  }

  readNewEntity() {
    return this.readEntity();
  }

  readTableName() {
    return readTableName(this.#text);
  }

  readAccessPolicies() {
    return readPoliciesDocument(this.#text);
  }

  readKeyInfo() {
    return readKeyInfoDocument(this.#text);
  }

  readServiceProperties() {
    return readPropertiesDocument(this.#text);
  }
}

/**
 * Reads the name of a table from the body of Create Table.
 *
 * Errors: InvalidInput for an empty body, for text that is not a JSON object and for a name that is not a string;
 * DuplicatePropertiesSpecified for two names, PropertiesNeedValue for no name. Source: checks-order 4; operations 8.2.
 */
function readTableName(body: string): string {
  if (body === '') throw new TableError('InvalidInput', { variant: { name: 'value-unreadable' } });
  return tableNameOf(readJsonObject(body));
}

/** Returns the name of a table among the members of an object. Errors: as `readTableName`. */
export function tableNameOf(all: readonly JsonMember[]): string {
  const members = all.filter(({ name }) => name === 'TableName');
  const [member] = members;
  if (members.length > 1) throw new TableError('DuplicatePropertiesSpecified');
  if (member === undefined || member.kind === 'null') {
    const sent = all.map(({ name }) => name);
    const evidence = () => ({ check: 'member-missing', members: ['TableName'], sent }) as const;
    throw new TableError('PropertiesNeedValue', { evidence });
  }
  if (member.kind !== 'string') throw new TableError('InvalidInput');
  return readJsonString(member.json);
}
