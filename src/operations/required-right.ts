import type { Resource } from '../address/resource.js';
import { authorize, type RequestedPlace } from '../auth/authorize.js';
import type { Identity } from '../auth/identity.js';
import type { Right, RightMoment } from '../protocol/access/permissions.js';

/**
 * The right that one request requires. Performs every permission check, and fails any operation that skipped its check.
 *
 * The code that runs a request calls `checkAt` at each moment, and `assertChecked` before the operation uses the store.
 */
export class RequiredRight {
  readonly #right: Right;
  readonly #identity: Identity;
  readonly #resource: Resource;
  readonly #place: RequestedPlace;
  #isChecked: boolean;

  constructor(right: Right, identity: Identity, resource: Resource, place: RequestedPlace) {
    this.#right = right;
    this.#identity = identity;
    this.#resource = resource;
    this.#place = place;
    // Not in the declaration: V8 would create a function for that.
    this.#isChecked = false;
  }

  /** Performs the permission check if this is its moment. Errors: those of `authorize`. */
  checkAt(moment: RightMoment): void {
    if (this.#right.moment !== moment) return;
    const table = 'table' in this.#resource ? this.#resource.table : undefined;
    authorize(this.#identity, this.#right, table, this.#place);
    this.#isChecked = true;
  }

  /** Throws an internal error if the check was skipped. */
  assertChecked(): void {
    if (!this.#isChecked) throw new Error(`a right was never checked (its moment: ${this.#right.moment})`);
  }
}
