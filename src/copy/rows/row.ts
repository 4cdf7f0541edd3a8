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

/** Returns the members of an entity, with names decoded and values as they are written. Errors: SyntaxError. */
export function membersOf(text: string): Member[] {
  const members: Member[] = [];
  let at = afterSpace(text, 1);
  while (text.charCodeAt(at) === 0x22) {
    const nameEnd = endOfString(text, at);
    const valueAt = startOfValue(text, nameEnd);
    const valueEnd = endOfValue(text, valueAt);
    members.push({ name: stringOf(text.slice(at, nameEnd)), value: text.slice(valueAt, valueEnd) });
    at = startOfNext(text, valueEnd);
  }
  if (text.charCodeAt(at) !== 0x7d) throw new SyntaxError('an entity is cut off');
  return members;
}

/** Returns the types that an entity's annotations name, by property. */
export function typesOf(members: readonly Member[]): ReadonlyMap<string, string> {
  const types = new Map<string, string>();
  for (const { name, value } of members)
    if (name.endsWith(typeSuffix)) types.set(name.slice(0, -typeSuffix.length), stringOf(value));
  return types;
}

/** Writes an entity. */
export function writeMembers(members: readonly Member[]): string {
  return `{${members.map(({ name, value }) => `${JSON.stringify(name)}:${value}`).join(',')}}`;
}

/** Decodes a JSON string. */
export function stringOf(json: string): string {
  return json.includes('\\') ? (JSON.parse(json) as string) : json.slice(1, -1);
}

/** Returns the position after a string that begins at a quote. Errors: SyntaxError. */
export function endOfString(text: string, from: number): number {
  let at = from;
  for (;;) {
    at = text.indexOf('"', at + 1);
    if (at < 0) throw new SyntaxError('a string does not end');
    let slashes = 0;
    while (text.charCodeAt(at - 1 - slashes) === 0x5c) slashes++;
    if (slashes % 2 === 0) return at + 1;
  }
}

/** Returns the position of the value after the name that ends here. Errors: SyntaxError. */
export function startOfValue(text: string, nameEnd: number): number {
  const colon = afterSpace(text, nameEnd);
  if (text.charCodeAt(colon) !== 0x3a) throw new SyntaxError('a name has no value');
  return afterSpace(text, colon + 1);
}

/** Returns the position after a value of an entity: a string, a number or a word. Errors: SyntaxError for a list or an object. */
export function endOfValue(text: string, from: number): number {
  const first = text.charCodeAt(from);
  if (first === 0x22) return endOfString(text, from);
  if (first === 0x7b || first === 0x5b) throw new SyntaxError('a value is a list or an object');
  for (let at = from; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code !== 0x2c && code !== 0x7d && code > 0x20) continue;
    if (at === from) throw new SyntaxError('a name has no value');
    return at;
  }
  throw new SyntaxError('a value does not end');
}

/** Returns the position of the next name, or of the brace at the end. */
export function startOfNext(text: string, valueEnd: number): number {
  const at = afterSpace(text, valueEnd);
  return text.charCodeAt(at) === 0x2c ? afterSpace(text, at + 1) : at;
}

/** Returns the position of the next character that is not white space. */
export function afterSpace(text: string, from: number): number {
  let at = from;
  while (at < text.length && text.charCodeAt(at) <= 0x20) at++;
  return at;
}
