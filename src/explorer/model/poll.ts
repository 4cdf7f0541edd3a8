import { showError } from './notices.js';

/**
 * Calls a function now and every `everyMs` milliseconds, one call at a time and only while the page is visible, until the returned
 * function is called. `onError` gets the first of several errors in a row.
 */
export function poll(call: () => Promise<void>, everyMs: number, onError = showError): () => void {
  let isRunning = false;
  let hasFailed = false;
  let isStopped = false;
  const run = async () => {
    if (isRunning || document.visibilityState !== 'visible') return;
    isRunning = true;
    try {
      await call();
      hasFailed = false;
    } catch (error) {
      if (!hasFailed && !isStopped) onError(error);
      hasFailed = true;
    }
    isRunning = false;
  };
  void run();
  const timer = setInterval(() => void run(), everyMs);
  return () => {
    isStopped = true;
    clearInterval(timer);
  };
}

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
