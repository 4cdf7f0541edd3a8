/** Reads an answer of one JSON value on each line. Lines without a value, which only keep the connection open, are left out. */
export async function* readLines<Value>(answer: Response): AsyncGenerator<Value> {
  if (!answer.body) return;
  const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = '';
  for (;;) {
    const { done, value = '' } = await reader.read();
    if (done) break;
    const lines = (rest + value).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) if (line !== '') yield JSON.parse(line) as Value;
  }
  if (rest !== '') yield JSON.parse(rest) as Value;
}
