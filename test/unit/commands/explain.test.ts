import { describe, expect, it } from 'vitest';
import { runLine } from '../../support/programs/run-line.js';

/** Returns the lines of `tabularium explain`, and whether the service rejects the filter. */
async function explained(filter: string) {
  const { code, out } = await runLine(['explain', filter]);
  return { isRejected: code === 1, lines: out.split('\n').slice(0, -1) };
}

describe('tabularium explain', () => {
  it('prints the class of a filter, and what makes it cheaper', async () => {
    expect(await explained("PartitionKey eq 'p' and (RowKey eq '1' or RowKey eq '2')")).toEqual({
      isRejected: false,
      lines: [
        'partition-scan: Every entity of one partition is read.',
        "RowKeys are joined by 'or', so the whole partition is read. Send one query for each key, in parallel.",
      ],
    });
  });

  it('takes a filter that begins with a dash, with and without --', async () => {
    const explainedAlike = await explained("-1 lt Size and 'a' lt Name");
    expect(explainedAlike).toMatchObject({ isRejected: false, lines: [expect.stringMatching(/^table-scan: /), {}] });
    const { out } = await runLine(['explain', '--', "-1 lt Size and 'a' lt Name"]);
    expect(out.split('\n').slice(0, -1)).toEqual(explainedAlike.lines);
  });

  it('prints where the fault of a rejected filter is, and what to write', async () => {
    expect(await explained("A eq 1 and startswith(B,'x')")).toEqual({
      isRejected: true,
      lines: [
        '501 NotImplemented: The requested operation is not implemented on the specified resource.',
        "  A eq 1 and startswith(B,'x')",
        `  ${' '.repeat(11)}${'^'.repeat(17)}`,
        'The service has no function startswith.',
        "Write a range: B ge 'x' and B lt 'y'.",
      ],
    });
  });

  it('prints the part around the fault of a long filter, without control characters', async () => {
    const { lines } = await explained(`${"A eq 'x' and ".repeat(50)}\u001b[31m B == 1`);
    expect(lines[1]?.length).toBeLessThanOrEqual(102);
    expect(lines[2]?.indexOf('^')).toBe(lines[1]?.indexOf('=='));
    expect(lines.join('')).not.toMatch(/\p{Cc}/u);
  });
});
