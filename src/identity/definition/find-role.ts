import { nearestName } from '../../nearest-name.js';
import { builtInRoles, type RoleDefinition } from '../../protocol/access/roles.js';
import { lowerAscii } from '../../protocol/names.js';

/** Finds a role by its name, in any letter case, or by its ID, alone or at the end of a path as in Bicep. */
export function findRole(named: string, custom: readonly RoleDefinition[]): RoleDefinition | undefined {
  const wanted = lowerAscii(named.slice(named.lastIndexOf('/') + 1));
  return [...custom, ...builtInRoles].find(({ name, id }) => lowerAscii(name) === wanted || id === wanted);
}

/** Returns the words for a role that does not exist, with the nearest name. */
export function unknownRole(named: string, custom: readonly RoleDefinition[]): string {
  const names = [...custom, ...builtInRoles].map(({ name }) => name);
  const nearest = nearestName(named, names);
  const hint = nearest === undefined ? `The roles are: ${names.join(', ')}.` : `Did you mean '${nearest}'?`;
  return `there is no role '${named}'. ${hint}`;
}
