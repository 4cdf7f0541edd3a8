import { lowerAscii } from '../names.js';

const dashed = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const bare = /^([0-9a-f]{8})([0-9a-f]{4})([0-9a-f]{4})([0-9a-f]{4})([0-9a-f]{12})$/;

/**
 * Reads a Guid in any form that .NET reads: with dashes, optionally in braces or parentheses, or 32 digits without
 * dashes; in any letter case. Returns it in lower case with dashes, as the service writes it, or undefined if it is not
 * a Guid.
 *
 * Source: data-model 3.2; data-model 3.4.
 */
export function readGuid(text: string): string | undefined {
  const trimmed = lowerAscii(text.trim());
  if (dashed.test(trimmed)) return trimmed;
  const enclosed = /^\{(.*)\}$|^\((.*)\)$/.exec(trimmed);
  const within = enclosed?.[1] ?? enclosed?.[2];
  if (within !== undefined) return dashed.test(within) ? within : undefined;
  return bare.exec(trimmed)?.slice(1).join('-');
}
