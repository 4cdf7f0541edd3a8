import type { Explanation } from '../../protocol/explanation.js';
import type { BatchFault } from '../../protocol/refusal-evidence.js';

/** Explains what is wrong with the envelope of a transaction, or with the address of one of its operations. */
export function explainBatch(fault: BatchFault, value: string): Explanation {
  const [text, advice] = words[fault];
  return { cause: `batch-${fault}`, text: text(value), advice };
}

/** What each fault means, and what to do. */
const words: Readonly<Record<BatchFault, readonly [text: (value: string) => string, advice: string]>> = {
  boundary: [
    (type) => (type === '' ? 'The batch has no Content-Type.' : `The Content-Type ${type} does not name a boundary.`),
    'Send Content-Type: multipart/mixed; boundary=…, with the boundary that the body uses.',
  ],
  queries: [() => 'A batch can have one query, and this one has more.', 'Send each query as a request, in parallel.'],
  'change-set': [
    () => 'The operations are not in a change set.',
    'Put all of them into one part of the type multipart/mixed, with a boundary of its own.',
  ],
  'change-sets': [
    () => 'A batch can have one change set, and this one has more.',
    'Send each change set as a request.',
  ],
  'change-set-boundary': [
    (boundary) => `The boundary ${boundary} is not in the body.`,
    'Start each operation with two dashes and the boundary that the Content-Type of the change set names.',
  ],
  cut: [
    (boundary) => `The body ends before the boundary ${boundary}.`,
    'End the last part with two dashes, the boundary and two dashes, and check Content-Length.',
  ],
  query: [
    () => 'A change set has only writes, and the operation is a read.',
    'Read entities with requests of their own, or send one query in a batch without a change set.',
  ],
  account: [
    (url) => `The URL ${url} does not name a table of the account of the batch.`,
    'Use the same endpoint for the operations as for the batch, and one segment after it.',
  ],
};
