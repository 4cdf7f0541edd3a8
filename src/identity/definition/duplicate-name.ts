/** Strings, marks and other values of JSON. */
const tokens = /"(?:[^"\\]|\\.)*"|[{}[\],:]|[^\s"{}[\],:]+/g;

/**
 * Returns the first name that an object in well-formed JSON has twice, with the names of the objects around it; undefined if
 * there is none. `JSON.parse` would silently keep the last one.
 */
export function findDuplicateName(json: string): string | undefined {
  const path: { readonly names: Set<string>; readonly isObject: boolean; last: string }[] = [];
  let previous = '';
  for (const [token] of json.matchAll(tokens)) {
    const inner = path.at(-1);
    if (token === '{' || token === '[') path.push({ names: new Set(), isObject: token === '{', last: '' });
    else if (token === '}' || token === ']') path.pop();
    else if (token === ':' && inner?.isObject) {
      inner.last = JSON.parse(previous) as string;
      if (inner.names.has(inner.last))
        return path
          .map(({ last }) => last)
          .filter(Boolean)
          .join('.');
      inner.names.add(inner.last);
    }
    previous = token;
  }
  return undefined;
}
