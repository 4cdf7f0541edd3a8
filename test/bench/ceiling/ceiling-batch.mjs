/** Returns the operations of a transaction: method, path and body of each, found by searching the text. */
export function* readParts(text, contentType) {
  const boundary = `--${contentType.slice(contentType.indexOf('boundary=') + 9)}`;
  const inner = text.indexOf('boundary=', text.indexOf(boundary)) + 9;
  const delimiter = `--${text.slice(inner, text.indexOf('\r\n', inner))}`;
  let at = text.indexOf(delimiter, inner) + delimiter.length;
  while (text.startsWith('\r\n', at)) {
    const end = text.indexOf(delimiter, at);
    const line = text.indexOf('\r\n\r\n', at) + 4;
    const methodEnd = text.indexOf(' ', line);
    const pathEnd = text.indexOf(' ', methodEnd + 1);
    const head = text.indexOf('\r\n\r\n', pathEnd) + 4;
    yield {
      method: text.slice(line, methodEnd),
      path: text.slice(methodEnd + 1, pathEnd),
      json: text.slice(head, end),
    };
    at = end + delimiter.length;
  }
}
