/** A month or a day, also within a longer key. */
const isoDate = /(?:^|[^0-9])(?:19|20)\d\d-(?:0[1-9]|1[0-2])(?:$|[^0-9])/;

/** The same without dashes, and hours, minutes and so on. A month alone looks like a number. */
const packedDate = /^(?:19|20)\d\d(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])\d{0,9}$/;

/** Milli-, micro- or nanoseconds since 1970, from 2001 to 2033 or later, and .NET's ticks of this and the last century. */
const counted = /^0*(?:1\d{12}|1\d{15}|1\d{18}|6[0-4]\d{16})$/;

const ulid = /^[0-7][0-9A-HJKMNP-TV-Z]{25}$/;

/** UUIDs of version 7. Source: RFC 9562, section 5.7. */
const uuid7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/i;

/**
 * Returns whether a key looks like a time that grows. Inverted times, of which the newest comes first, do not.
 * A key may have other parts, as in `web1_2026-01-31`.
 */
export function isTimeKey(key: string): boolean {
  if (isoDate.test(key) || ulid.test(key) || uuid7.test(key)) return true;
  const numbers = key.match(/\d{8,}/g) ?? [];
  return numbers.some((number) => packedDate.test(number) || counted.test(number));
}
