import type { Finding } from '../finding.js';
import type { Severity } from '../rule.js';
import { ruleIds, rules } from '../rules.js';
import type { CoachReport } from './coach-report.js';

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
export function writeSarif({ findings, suppressed, known }: CoachReport, version: string): string {
  const results = [
    ...findings.map((finding) => ({ ...resultOf(finding), ...(known.length > 0 && { baselineState: 'new' }) })),
    ...known.map((finding) => ({ ...resultOf(finding), baselineState: 'unchanged' })),
    ...suppressed.map(({ finding, why }) => ({
      ...resultOf(finding),
      suppressions: [{ kind: 'external', justification: why }],
    })),
  ];
  const driver = {
    name: 'Tabularium',
    version,
    rules: ruleIds.map((id) => {
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
  const { rule, severity, title, table, shape, calls, advice, example, marks } = finding;
  const where = table === '' ? '' : ` (table ${table})`;
  const sample = example === undefined ? '' : ` As in: ${example}.`;
  const text = `${title}${where}: ${shape}, ${calls} ${calls === 1 ? 'call' : 'calls'}.${sample} ${advice}`;
  return {
    ruleId: rule,
    ruleIndex: ruleIds.indexOf(rule),
    level: levels[severity],
    message: { text },
    locations: [
      { physicalLocation: { artifactLocation: { uri: encodeURI(fileOf(marks)) }, region: { startLine: 1 } } },
    ],
    partialFingerprints: { 'ruleTableShape/v1': `${rule} ${table} ${shape}` },
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
