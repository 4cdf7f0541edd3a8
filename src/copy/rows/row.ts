/** An entity in transit: JSON with minimal metadata, as its source wrote it, without ETag and Timestamp. */
export interface Row {
  readonly partitionKey: string;
  readonly rowKey: string;
  readonly text: string;
}

/** A member of an entity: its decoded name, and its value as it is written. */
export interface Member {
  readonly name: string;
  readonly value: string;
}

/** The ending of the names of members that give the type of another. */
export const typeSuffix = '@odata.type';

/**
 * Visits the members of the entity that begins at a brace: where a name begins and ends, where its value does, and where the next name
 * begins. Returns the position after the entity. Errors: SyntaxError.
 */
export function scanEntity(
  text: string,
  from: number,
  visit: (nameAt: number, nameEnd: number, valueAt: number, valueEnd: number, next: number) => void,
): number {
  if (text.charCodeAt(from) !== 0x7b) throw new SyntaxError('there is no entity');
  let at = afterSpace(text, from + 1);
  while (text.charCodeAt(at) === 0x22) {
    const nameEnd = endOfString(text, at);
    const colon = afterSpace(text, nameEnd);
    if (text.charCodeAt(colon) !== 0x3a) throw new SyntaxError('a name has no value');
    const valueAt = afterSpace(text, colon + 1);
    const valueEnd = endOfValue(text, valueAt);
    const next = afterComma(text, valueEnd);
    visit(at, nameEnd, valueAt, valueEnd, next);
    at = next;
  }
  if (text.charCodeAt(at) !== 0x7d) throw new SyntaxError('an entity is cut off');
  return at + 1;
}

/** Returns the members of an entity, with names decoded and values as they are written. Errors: SyntaxError. */
export function membersOf(text: string): Member[] {
  const members: Member[] = [];
  scanEntity(text, 0, (nameAt, nameEnd, valueAt, valueEnd) => {
    members.push({ name: stringOf(text.slice(nameAt, nameEnd)), value: text.slice(valueAt, valueEnd) });
  });
  return members;
}

/** Writes an entity. */
export function writeMembers(members: readonly Member[]): string {
  return `{${members.map(({ name, value }) => `${JSON.stringify(name)}:${value}`).join(',')}}`;
}

/** Decodes a JSON string. */
export function stringOf(json: string): string {
  return json.includes('\\') ? (JSON.parse(json) as string) : json.slice(1, -1);
}

/** Returns the position of the next character that is not white space. */
export function afterSpace(text: string, from: number): number {
  let at = from;
  while (at < text.length && text.charCodeAt(at) <= 0x20) at++;
  return at;
}

/** Returns the position of what follows a value and its comma. */
export function afterComma(text: string, valueEnd: number): number {
  const at = afterSpace(text, valueEnd);
  return text.charCodeAt(at) === 0x2c ? afterSpace(text, at + 1) : at;
}

function endOfString(text: string, from: number): number {
  for (let at = text.indexOf('"', from + 1); at >= 0; at = text.indexOf('"', at + 1)) {
    let slashes = 0;
    while (text.charCodeAt(at - 1 - slashes) === 0x5c) slashes++;
    if (slashes % 2 === 0) return at + 1;
  }
  throw new SyntaxError('a string does not end');
}

/** Returns the position after a string, a number or a word. */
function endOfValue(text: string, from: number): number {
  const first = text.charCodeAt(from);
  if (first === 0x22) return endOfString(text, from);
  if (first === 0x7b || first === 0x5b) throw new SyntaxError('a value is a list or an object');
  for (let at = from; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code !== 0x2c && code !== 0x7d && code > 0x20) continue;
    if (at > from) return at;
    throw new SyntaxError('a name has no value');
  }
  throw new SyntaxError('a value does not end');
}
