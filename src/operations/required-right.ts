import type { Resource } from '../address/resource.js';
import { authorize, type RequestedPlace } from '../auth/authorize.js';
import type { Identity } from '../auth/identity.js';
import type { Right, RightMoment } from '../protocol/access/permissions.js';

/**
 * The right that one request requires. This is the only place where rights are asked.
 *
 * The code that runs a request calls `askAt` at each moment, and `checkAsked` before the operation uses the store. So an
 * operation whose right was never asked fails instead of answering.
 */
export class RequiredRight {
  readonly #right: Right;
  readonly #identity: Identity;
  readonly #resource: Resource;
  readonly #place: RequestedPlace;
  #wasAsked: boolean;

  constructor(right: Right, identity: Identity, resource: Resource, place: RequestedPlace) {
    this.#right = right;
    this.#identity = identity;
    this.#resource = resource;
    this.#place = place;
    // Not where it is declared: V8 would make a function of that.
    this.#wasAsked = false;
  }

  /** Asks for the right if this is its moment. Errors: those of `authorize`. */
  askAt(moment: RightMoment): void {
    if (this.#right.asked !== moment) return;
    const table = 'table' in this.#resource ? this.#resource.table : undefined;
    authorize(this.#identity, this.#right, table, this.#place);
    this.#wasAsked = true;
  }

  /** Throws an internal error if the right was never asked. */
  checkAsked(): void {
    if (!this.#wasAsked) throw new Error(`a right was never asked (its moment: ${this.#right.asked})`);
  }
}
