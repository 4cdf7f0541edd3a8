import type { ExplainedDetail, Explanation } from '../protocol/explanation.js';
import { redactSecrets } from '../protocol/redact-secrets.js';

/** Longest text of an explanation. Unit: UTF-16 code units. Ours: a body decides how long its names and values are. */
const unitsMax = 1024;

/** How many values an explanation has at most. Ours: a signature has fewer parameters. */
const detailsMax = 64;

/**
 * Returns an explanation as it may be kept, logged and shown: each text is short, and contains no signature, even if the
 * client sent it in another parameter.
 */
export function boundExplanation(explanation: Explanation): Explanation {
  const { text, advice, details } = explanation;
  return {
    ...explanation,
    text: bound(text),
    ...(advice !== undefined && { advice: bound(advice) }),
    ...(details && { details: details.slice(0, detailsMax).map(boundDetail) }),
  };
}

function boundDetail(detail: ExplainedDetail): ExplainedDetail {
  return { ...detail, name: bound(detail.name), value: bound(detail.value) };
}

function bound(text: string): string {
  if (text.length <= unitsMax) return redactSecrets(text);
  // A text of its own: a part of the long one would keep the whole in memory.
  return redactSecrets(Buffer.from(text.slice(0, unitsMax - 1)).toString()).concat('…');
}
