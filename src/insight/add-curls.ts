import type { Finding } from './finding.js';
import type { Journal, JournalEntry } from './journal/journal.js';
import { writeCurl } from './journal/write-curl.js';

/** Returns findings with the command line that sends their worst request again, or the first one, if the journal has it. */
export async function addCurls(findings: readonly Finding[], journal: Journal): Promise<readonly Finding[]> {
  const entries = await journal.findAll(
    new Set(findings.flatMap(({ worstRequest, firstRequest }) => [worstRequest, firstRequest])),
  );
  return findings.map((finding) => {
    const entry: JournalEntry | undefined = entries.get(finding.worstRequest) ?? entries.get(finding.firstRequest);
    return entry ? { ...finding, curl: writeCurl(entry) } : finding;
  });
}
