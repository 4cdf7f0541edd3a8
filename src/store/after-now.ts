/**
 * Returns a function that resolves after a run of `work` which began after the call. Calls that wait together share a run, and
 * there is one run at a time. Errors: those of `work`.
 */
export function afterNow(work: () => Promise<void>): () => Promise<void> {
  let running: Promise<void> = Promise.resolve();
  let next: Promise<void> | undefined;
  return () => {
    next ??= running
      .catch(() => {})
      .then(() => {
        next = undefined;
        running = work();
        return running;
      });
    return next;
  };
}
