import type { AlikeBodies } from '../entity/body/alike-bodies.js';
import { readEntity } from '../entity/body/read-entity.js';
import type { RequestBody } from '../operations/operation.js';
import { stringUnitsMax } from '../protocol/limits.js';
import { readTableName } from './json/read-table-name.js';
import { readKeyInfoDocument } from './xml/read-key-info-document.js';
import { readPoliciesDocument } from './xml/read-policies-document.js';
import { readPropertiesDocument } from './xml/read-properties-document.js';

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
