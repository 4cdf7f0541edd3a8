import { ConfigError, shownValue } from '../../config.js';
import { nearestName } from '../../nearest-name.js';

/** A value of a definition, with its place for messages, such as `identities.reader.roles[0]`. */
export class CheckedValue {
  readonly value: unknown;
  readonly #source: string;
  readonly #place: string;

  /** `source` names the definition in messages: the path of its file, or the option. */
  constructor(value: unknown, source: string, place = '') {
    this.value = value;
    this.#source = source;
    this.#place = place;
  }

  /** Returns the error for this value. */
  fault(message: string): ConfigError {
    return new ConfigError(`${this.#source}: ${this.#place === '' ? '' : `${this.#place}: `}${message}`);
  }

  /** Returns the members of an object. Errors: ConfigError for another value, and for a name that is not known. */
  members(known?: readonly string[]): readonly (readonly [name: string, value: CheckedValue])[] {
    const { value } = this;
    if (typeof value !== 'object' || value === null || Array.isArray(value)) throw this.fault('expected an object.');
    const entries = Object.entries(value).filter(([, member]) => member !== undefined);
    const unknown = known && entries.find(([name]) => !known.includes(name))?.[0];
    if (known && unknown !== undefined) {
      const nearest = nearestName(unknown, known);
      const hint = nearest === undefined ? `Known are: ${known.join(', ')}.` : `Did you mean '${nearest}'?`;
      throw this.fault(`'${shownValue(unknown)}' is not known here. ${hint}`);
    }
    const at = (name: string) => (this.#place === '' ? name : `${this.#place}.${name}`);
    return entries.map(([name, member]) => [name, new CheckedValue(member, this.#source, at(name))] as const);
  }

  /** Returns the items of an array. Errors: ConfigError for another value. */
  items(): readonly CheckedValue[] {
    if (!Array.isArray(this.value)) throw this.fault('expected an array.');
    return this.value.map((item, at) => new CheckedValue(item, this.#source, `${this.#place}[${at}]`));
  }

  /** Returns a string. Errors: ConfigError for another value, and for an empty one. */
  text(): string {
    if (typeof this.value !== 'string' || this.value === '') throw this.fault('expected a string.');
    return this.value;
  }
}
