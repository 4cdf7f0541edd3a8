import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { readRunPlan } from '../../../src/commands/run-plan.js';
import { makeFolder } from '../../support/make-folder.js';

const withJournal = { journal: 4096 };

describe('The options that judge a run', () => {
  let folder = '';
  let file = '';
  beforeEach(async () => {
    folder = await makeFolder();
    file = join(folder, 'file.json');
  });
  afterEach(() => rm(folder, { recursive: true }));

  it('ask for nothing by default', () => {
    expect(readRunPlan({}, withJournal)).toBeUndefined();
  });

  it('name reports whose endings are their formats', () => {
    const plan = readRunPlan({ report: ['a/b.md', 'c.sarif'] }, withJournal);
    expect(plan?.reports).toEqual([
      { file: 'a/b.md', format: 'md' },
      { file: 'c.sarif', format: 'sarif' },
    ]);
    expect(() => readRunPlan({ report: ['coach.txt'] }, withJournal)).toThrow("'coach.txt' is not known");
  });

  it('need the journal, and a file for a new baseline', () => {
    expect(() => readRunPlan({ budget: 'scanned=1' }, { journal: 0 })).toThrow('--journal 0');
    expect(() => readRunPlan({ updateBaseline: true }, withJournal)).toThrow('--budgetBaseline');
    expect(() => readRunPlan({ budgetBaseline: file }, withJournal)).toThrow('does not exist');
    expect(readRunPlan({ budgetBaseline: file, updateBaseline: true }, withJournal)).toMatchObject({
      ...{ known: undefined, writtenBaseline: file },
    });
  });

  it.each([
    ['{"ignore":[{"rule":"R1","table":"T","shape":"t","why":"small"}]}', undefined],
    ['{"ignore":[]}', undefined],
    ['nothing', 'is not JSON'],
    ['[]', "no list 'ignore'"],
    ['{"ignore":{}}', "no list 'ignore'"],
    ['{"ignore":["R1"]}', 'ignore[0] is not an object'],
    ['{"ignore":[{"rule":"R1"}]}', 'ignore[0] has no reason'],
    ['{"ignore":[{"rule":"R1","why":" "}]}', 'ignore[0] has no reason'],
    ['{"ignore":[{"rule":"R99","why":"x"}]}', "no rule 'R99'"],
    ['{"ignore":[{"rule":"R1","why":7}]}', "'why' is not a text"],
    ['{"ignore":[{"rule":"R1","why":"x","tabel":"T"}]}', "unknown field 'tabel'"],
  ])('read the suppressions %s: %s', async (text, message) => {
    await writeFile(file, text);
    const read = () => readRunPlan({ suppressions: file }, withJournal);
    if (message === undefined) expect(read()?.suppressions).toEqual(JSON.parse(text).ignore);
    else expect(read).toThrow(message);
  });

  it.each([
    ['{"findings":[{"rule":"R1","table":"T","shape":"t"}]}', undefined],
    ['{"findings":[{"rule":"R0","table":"T","shape":"t"}]}', "no rule 'R0'"],
    ['{}', "no list 'findings'"],
  ])('read the baseline %s: %s', async (text, message) => {
    await writeFile(file, text);
    const read = () => readRunPlan({ budgetBaseline: file }, withJournal);
    if (message === undefined) expect(read()?.known).toEqual(JSON.parse(text).findings);
    else expect(read).toThrow(message);
  });
});
