import type { ExplainedDetail, Explanation } from '../protocol/explanation.js';
import { redactSecrets } from '../protocol/redact-secrets.js';
import { ownText } from '../remembered.js';

/** Longest text of an explanation. Unit: UTF-16 code units. Ours: a body decides how long its names and values are. */
const unitsMax = 1024;

/** How many values an explanation has at most. Ours: a signature has fewer parameters. */
const detailsMax = 64;

/**
 * Returns an explanation as it may be kept, logged and shown: each text is short, owns its memory, and contains no signature, even
 * if the client sent it in another parameter. A fix that is long is left out.
 */
export function boundExplanation(explanation: Explanation): Explanation {
  const { text, advice, details, fix, ...rest } = explanation;
  return {
    ...rest,
    text: bound(text),
    ...(advice !== undefined && { advice: bound(advice) }),
    ...(fix !== undefined && fix.length <= unitsMax && { fix: ownText(fix) }),
    ...(details && { details: details.slice(0, detailsMax).map(boundDetail) }),
  };
}

function boundDetail(detail: ExplainedDetail): ExplainedDetail {
  return { ...detail, name: bound(detail.name), value: bound(detail.value) };
}

function bound(text: string): string {
  const isWhole = text.length <= unitsMax;
  return ownText(isWhole ? redactSecrets(text) : `${redactSecrets(text.slice(0, unitsMax - 1))}…`);
}
