import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';

/**
 * Returns the answer to a question, once that has not changed for a while; undefined until then, without a question, and if the server cannot
 * say. The answer before stays until the next one. Unit of `pauseMs`: milliseconds.
 */
export function useAnswer<Answer>(
  question: string | undefined,
  ask: (question: string, signal: AbortSignal) => Promise<Answer | undefined>,
  pauseMs = 0,
): Answer | undefined {
  const answer = useSignal<Answer | undefined>(undefined);
  useEffect(() => {
    const stopper = new AbortController();
    const timer = setTimeout(async () => {
      const next = question === undefined ? undefined : await ask(question, stopper.signal).catch(() => undefined);
      if (!stopper.signal.aborted) answer.value = next;
    }, pauseMs);
    return () => {
      clearTimeout(timer);
      stopper.abort();
    };
  }, [question]);
  return answer.value;
}
