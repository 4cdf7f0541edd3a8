/**
 * Returns a function that asks for a run of `work`. Runs begin at least `pauseMs` after the one before has ended, take at most a tenth of the
 * time, and calls that wait share the next one. `work` handles its errors.
 */
export function paced(work: () => Promise<void>, pauseMs: number): () => void {
  let isAsked = false;
  let readyAt = 0;
  let last = Promise.resolve();
  const run = async () => {
    await new Promise((resolve) => setTimeout(resolve, Math.max(0, readyAt - performance.now())));
    isAsked = false;
    const began = performance.now();
    await work();
    readyAt = performance.now() + Math.max(pauseMs, 9 * (performance.now() - began));
  };
  return () => {
    if (isAsked) return;
    isAsked = true;
    last = last.then(run);
  };
}
