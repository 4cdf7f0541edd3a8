import { lowerAscii } from '../names.js';
import type { RoleDefinition, RoleNeed, RolePlane } from './roles.js';

/** Whether a role permits an action of a plane. Letter case does not matter. Source: identity 3. */
export function permitsAction(role: RoleDefinition, plane: RolePlane, action: string): boolean {
  const [granted, subtracted = []] =
    plane === 'actions' ? [role.actions, role.notActions] : [role.dataActions, role.notDataActions];
  const isListed = (patterns: readonly string[]) => patterns.some((pattern) => matchesAction(pattern, action));
  return isListed(granted) && !isListed(subtracted);
}

/** Whether a role alone permits all that an operation needs. */
export function permitsNeed(role: RoleDefinition, { plane, anyOf }: RoleNeed): boolean {
  return anyOf.some((all) => all.every((action) => permitsAction(role, plane, action)));
}

/**
 * Whether an action matches a pattern, in which `*` stands for any characters. Takes time in proportion to both lengths: each
 * piece between stars is matched at its first place.
 */
export function matchesAction(pattern: string, action: string): boolean {
  const text = lowerAscii(action);
  const [first = '', ...rest] = lowerAscii(pattern).split('*');
  const last = rest.pop();
  if (last === undefined) return text === first;
  if (!text.startsWith(first)) return false;
  let at = first.length;
  for (const piece of rest) {
    const found = text.indexOf(piece, at);
    if (found < 0) return false;
    at = found + piece.length;
  }
  return text.length - last.length >= at && text.endsWith(last);
}
