import { BlockList, isIPv4 } from 'node:net';

/** An IPv4 address as a socket that accepts both IPv4 and IPv6 reports it. */
const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i;

/**
 * Returns whether the caller's address is the given IPv4 address, or within the given inclusive range `a-b`. Returns
 * false for a malformed range. Source: auth 2.
 */
export function isWithinAddresses(range: string, caller: string): boolean {
  const [first = '', last = first, ...more] = range.split('-');
  const address = mapped.exec(caller)?.[1] ?? caller;
  if (more.length > 0 || ![first, last, address].every((text) => isIPv4(text))) return false;
  const list = new BlockList();
  try {
    list.addRange(first, last);
  } catch {
    // The range ends before it starts, so it contains no address.
    return false;
  }
  return list.check(address);
}
