/** Yields what a source yields. Fails with the reason of a signal when it is aborted, even if the source never goes on. */
export async function* readUntilAborted<T>(source: AsyncIterable<T>, signal: AbortSignal): AsyncGenerator<T> {
  let abort = () => {};
  const aborted = () => abort();
  signal.addEventListener('abort', aborted);
  const parts = source[Symbol.asyncIterator]();
  try {
    for (;;) {
      signal.throwIfAborted();
      // A promise for each part: one for all parts would keep them all in memory.
      const next = await new Promise<IteratorResult<T>>((resolve, reject) => {
        abort = () => reject(signal.reason);
        parts.next().then(resolve, reject);
      });
      if (next.done) return;
      yield next.value;
    }
  } finally {
    signal.removeEventListener('abort', aborted);
    // A source that does not go on does not end, either.
    parts.return?.().catch(() => {});
  }
}
