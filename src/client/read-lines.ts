/**
 * Yields the lines of a streamed text. Skips empty lines, which serve as keep-alives. Unlike `readline`, splits only at line feeds,
 * because JSON strings may contain other line separators.
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

/** Yields the JSON values of `readLines`. */
export async function* readValues(text: AsyncIterable<string>): AsyncGenerator<unknown> {
  for await (const line of readLines(text)) yield JSON.parse(line);
}
