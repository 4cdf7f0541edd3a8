import { readMembers } from '../../entity/body/read-entity.js';
import { stringUnitsMax } from '../../protocol/limits.js';
import { BodyText } from '../body-text.js';
import { tableNameOf } from '../json/read-table-name.js';
import { readEntry } from './read-entry.js';

/** The body of a request as text, with an Atom entry for an entity or a table. */
export class AtomText extends BodyText {
  readonly #text: string;

  constructor(text: string) {
    super(text);
    this.#text = text;
  }

  override readEntity() {
    const { values, types } = readEntry(this.#text);
    return readMembers(values, types, stringUnitsMax);
  }

  override readTableName() {
    return tableNameOf(readEntry(this.#text).values);
  }
}
