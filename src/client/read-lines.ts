/**
 * Yields the lines of a text that comes bit by bit, but no empty ones, which a silent stream sends. Only a line feed ends a line:
 * others do for `readline`, which JSON has in strings.
 */
export async function* readLines(text: AsyncIterable<string>): AsyncGenerator<string> {
  let rest = '';
  for await (const part of text) {
    const lines = `${rest}${part}`.split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) if (line !== '') yield line;
  }
  if (rest !== '') yield rest;
}

/** Yields the JSON values of lines, as `readLines` does. */
export async function* readValues(text: AsyncIterable<string>): AsyncGenerator<unknown> {
  for await (const line of readLines(text)) yield JSON.parse(line);
}
