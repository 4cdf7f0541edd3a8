import { BlockList, isIPv4 } from 'node:net';

/** An IPv4 address that arrived over a socket that also takes IPv6. */
const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i;

/**
 * Whether a caller is one IPv4 address, or within an inclusive range `a-b` of them. Source: auth, `sip`.
 */
export function isWithinAddresses(range: string, caller: string): boolean {
  const [first = '', last = first, ...more] = range.split('-');
  const address = mapped.exec(caller)?.[1] ?? caller;
  if (more.length > 0 || ![first, last, address].every((text) => isIPv4(text))) return false;
  const list = new BlockList();
  try {
    list.addRange(first, last);
  } catch {
    // The ends of the range are the wrong way round: nobody is within.
    return false;
  }
  return list.check(address);
}
