/** The references that XML defines by name. A map, because an object also has inherited names. */
const named: ReadonlyMap<string, string> = new Map([
  ['lt', '<'],
  ['gt', '>'],
  ['amp', '&'],
  ['quot', '"'],
  ['apos', "'"],
]);

/** Replaces references with their characters. Errors: RangeError for an unknown reference. */
export function readReferences(text: string): string {
  if (!text.includes('&')) return text;
  return text.replace(/&(?:#(\d+)|#x([0-9a-f]+)|([^;]*));?/gi, (reference, decimal, hex, name) => {
    const code = decimal ? Number(decimal) : hex ? Number.parseInt(hex, 16) : undefined;
    const character = code === undefined ? named.get(name) : code <= 0x10ffff ? String.fromCodePoint(code) : undefined;
    if (character === undefined || !reference.endsWith(';')) throw new RangeError(`unknown reference ${reference}`);
    return character;
  });
}
