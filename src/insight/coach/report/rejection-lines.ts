import { redactSecrets } from '../../../protocol/redact-secrets.js';
import type { Attempt, ExplainedRequest, RejectedRequests } from '../../explained-request.js';
import type { Finding } from '../finding.js';
import { findingDetails, findingLine } from './finding-lines.js';

/** Most causes of rejections, and most findings, in a text. (Our choice: the output of a test stays on screen.) */
export const printedMax = 5;

/**
 * Formats an explanation for people: status and code, the cause, the fix, the compared values, and the findings. `data` marks the lines
 * that quote the request.
 */
export function whyLines(
  explained: ExplainedRequest,
  data: (lines: readonly string[]) => readonly string[] = (lines) => lines,
): readonly string[] {
  const { status, code = '', text, advice, near, otherAccount, details = [], attempts, findings = [] } = explained;
  return [
    // A failed transaction has a status of success; only its operation has that of the error.
    status < 400 && code !== ''
      ? `${code} in a transaction, which was answered with ${status}`
      : `${status} ${code}`.trimEnd(),
    ...data([
      text,
      ...(otherAccount === undefined ? [] : [`The account ${otherAccount} has a table of this name.`]),
      ...(near === undefined ? [] : [`There is a table ${near}.`]),
    ]),
    ...(advice === undefined ? [] : [advice]),
    ...data([
      ...details.map(
        ({ name, value, holds }) =>
          `  ${holds === undefined ? ' ' : holds ? '✓' : '✗'} ${name}: ${JSON.stringify(value)}`,
      ),
      ...findings.flatMap((one) => [findingLine(one), ...findingDetails(one).map((line) => `  ${line}`)]),
    ]),
    ...(attempts
      ? [`${attempts.length} requests have this x-ms-client-request-id:`, ...attempts.map(attemptLine)]
      : []),
  ];
}

function attemptLine({ requestId, status, code = '' }: Attempt): string {
  return `  ${`${status} ${code}`.trimEnd()}: ${requestId}`;
}

/** Formats rejected requests of one cause: code, method and path, the explanation, the mark, and the newest request. */
export function rejectionLines(rejected: RejectedRequests): readonly string[] {
  const { method, path, requests, mark, requestId } = rejected;
  const [first = '', ...more] = whyLines(rejected);
  const times = requests === 1 ? '' : `, ${requests} times`;
  return [
    `  ${first}: ${method} ${path}${times}`,
    ...more.map((line) => `    ${line}`),
    ...(mark === undefined ? [] : [`    seen in: ${mark}`]),
    `    ${requests === 1 ? 'request' : 'last request'} ${requestId}`,
  ];
}

/**
 * Formats the rejections and findings of an account for the output of its test: the newest causes, without compared values, then the
 * warnings of the coach. `owner` is the name of the test or the account, `unlisted` a number of older rejected requests. Empty if there are
 * none.
 */
export function reportLines(
  owner: string,
  rejected: readonly RejectedRequests[],
  findings: readonly Finding[],
  unlisted = 0,
): readonly string[] {
  const shown = rejected.slice(-printedMax).map(({ details: _, mark: __, ...one }) => one);
  const left = rejected.slice(0, -printedMax).reduce((sum, { requests }) => sum + requests, unlisted);
  const warnings = findings.filter(({ severity }) => severity !== 'info').slice(0, printedMax);
  return [
    ...(shown.length === 0 ? [] : [`Tabularium rejected requests of '${owner}':`]),
    ...shown.flatMap(rejectionLines),
    ...(left === 0 ? [] : [`  ${left} earlier ${left === 1 ? 'request' : 'requests'} with other causes`]),
    ...(warnings.length === 0 ? [] : [`The coach of '${owner}':`]),
    ...warnings.map(
      ({ severity, title, shape, advice }) =>
        `  ${severity}: ${title}: ${shape}${shape.endsWith('…') ? '' : '.'} ${advice}`,
    ),
  ].map(redactSecrets);
}
