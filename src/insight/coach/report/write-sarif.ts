import type { Severity } from '../../rules/rule.js';
import { nameOf } from '../../rules/rule.js';
import { type CauseName, causeNames, rules } from '../../rules/rules.js';
import { fingerprintOf } from '../budget/same-findings.js';
import type { Finding } from '../finding.js';
import type { CoachReport } from './coach-report.js';
import { costOf } from './finding-lines.js';

const levels: Readonly<Record<Severity, 'error' | 'warning' | 'note'>> = {
  serious: 'error',
  warn: 'warning',
  info: 'note',
};

/** Where a finding is if no mark names a file. SARIF needs a place, and every project with `npm test` has this one. */
const anyPlace = 'package.json';

/**
 * Writes the findings as SARIF 2.1.0, which code scanning reads. A finding is placed in the test file that its first mark
 * begins with, as in `test/orders.test.ts > lists orders`. `version` is that of this program.
 */
export function writeSarif({ findings, accepted }: CoachReport, version: string): string {
  const results = [
    ...findings.map(resultOf),
    ...accepted.map(({ finding, why }) => ({
      ...resultOf(finding),
      suppressions: [{ kind: 'external', justification: why }],
    })),
  ];
  const driver = {
    name: 'Tabularium',
    version,
    rules: causeNames.map((id) => {
      const { title, finds, advice } = rules[id];
      return {
        id,
        shortDescription: { text: title },
        fullDescription: { text: `Finds: ${finds}.` },
        help: { text: advice },
      };
    }),
  };
  const log = {
    $schema: 'https://json.schemastore.org/sarif-2.1.0.json',
    version: '2.1.0',
    runs: [{ tool: { driver }, results }],
  };
  return `${JSON.stringify(log, null, 2)}\n`;
}

function resultOf(finding: Finding) {
  const { severity, title, account, table, shape, calls, advice, example, note, marks } = finding;
  const where = table === '' ? ` (account ${account})` : ` (${account}/${table})`;
  const sample = example === undefined ? '' : ` As in: ${example}.`;
  const text = `${title}${where}: ${shape}, ${calls} ${calls === 1 ? 'call' : 'calls'}.${sample}${note === undefined ? '' : ` ${note}`} ${costOf(finding)} ${advice}`;
  return {
    ruleId: nameOf(finding),
    ruleIndex: causeNames.indexOf(nameOf(finding) as CauseName),
    level: levels[severity],
    message: { text },
    locations: [
      { physicalLocation: { artifactLocation: { uri: encodeURI(fileOf(marks)) }, region: { startLine: 1 } } },
    ],
    partialFingerprints: { 'finding/v1': fingerprintOf(finding) },
  };
}

/** Returns the relative path of a file that a mark begins with. */
function fileOf(marks: readonly string[]): string {
  const files = marks.map(
    (mark) => /^(?!\/|[A-Za-z]:)([^<>:"|?*\ud800-\udfff]+?\.[a-z]{1,4})(?= > |$)/.exec(mark)?.[1],
  );
  const file = files.find((one) => one !== undefined && !one.split('/').includes('..'));
  return file?.replaceAll('\\', '/') ?? anyPlace;
}
