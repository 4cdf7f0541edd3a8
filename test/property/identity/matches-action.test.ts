import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { AssignedPrincipal } from '../../../src/identity/principal.js';
import { matchesAction } from '../../../src/protocol/access/permitted-actions.js';
import { builtInRoles, roleNeeds } from '../../../src/protocol/access/roles.js';

/** The same by a regular expression, which may take long. */
function matchesByExpression(pattern: string, action: string): boolean {
  const parts = pattern
    .toLowerCase()
    .split('*')
    .map((part) => part.replace(/[.?+^$[\]\\(){}|/]/g, '\\$&'));
  return new RegExp(`^${parts.join('.*')}$`, 's').test(action.toLowerCase());
}

const few = fc.string({ unit: fc.constantFrom('a', 'B', '/', '.', '*'), maxLength: 8 });

describe('matchesAction', () => {
  it('lets * stand for any characters', () => {
    fc.assert(
      fc.property(few, few, (pattern, action) => {
        expect(matchesAction(pattern, action)).toBe(matchesByExpression(pattern, action));
      }),
    );
  });

  it('takes no longer for a pattern of many stars', () => {
    expect(matchesAction(`${'*a'.repeat(20_000)}b`, 'a'.repeat(20_000))).toBe(false);
  });
});

const ids = { name: 'app', objectId: 'o', clientId: undefined, tenant: 't' };
const assignment = fc.record({
  role: fc.constantFrom(...builtInRoles),
  account: fc.constantFrom(undefined, 'first', 'second'),
  table: fc.constantFrom(undefined, 'people'),
});
const need = fc.constantFrom(...Object.values(roleNeeds));

describe('A principal', () => {
  it('may do with two roles what it may with one of them, and the same in any order', () => {
    fc.assert(
      fc.property(
        fc.array(assignment, { maxLength: 4 }),
        need,
        fc.constantFrom('first', 'second'),
        (held, wanted, account) => {
          const table = 'People';
          const one = held.some((role) => new AssignedPrincipal(ids, [role]).allows(wanted, account, table));
          const all = new AssignedPrincipal(ids, held);
          const turned = new AssignedPrincipal(ids, [...held].reverse());

          expect(all.allows(wanted, account, table) || !one).toBe(true);
          expect(turned.allows(wanted, account, table)).toBe(all.allows(wanted, account, table));
          expect(all.allows(wanted, account, table)).toBe(all.allows(wanted, account, table));
        },
      ),
    );
  });

  it('has nothing on another account, and nothing on the account by a role on a table', () => {
    fc.assert(
      fc.property(assignment, need, (held, wanted) => {
        const principal = new AssignedPrincipal(ids, [{ ...held, account: 'first', table: 'people' }]);

        expect(principal.allows(wanted, 'second', 'people')).toBe(false);
        expect(principal.allows(wanted, 'first', undefined)).toBe(false);
        expect(principal.allows(wanted, 'first', 'other')).toBe(false);
      }),
    );
  });
});
