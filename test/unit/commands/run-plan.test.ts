import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { readRunPlan } from '../../../src/commands/coach/run-plan.js';
import { makeFolder } from '../../support/programs/make-folder.js';

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
    const plan = readRunPlan({ report: ['a/b.md', 'c.json'] }, withJournal);
    expect(plan?.reports).toEqual([
      { file: 'a/b.md', format: 'md' },
      { file: 'c.json', format: 'json' },
    ]);
    expect(() => readRunPlan({ report: ['coach.txt'] }, withJournal)).toThrow("'coach.txt' is not known");
  });

  it('need the journal, and a file of accepted findings that exists or is to be written', () => {
    expect(() => readRunPlan({ budget: 'read=1' }, { journal: 0 })).toThrow('--journal 0');
    expect(() => readRunPlan({ accept: file }, withJournal)).toThrow('Make it with --acceptAll.');
    expect(readRunPlan({ accept: file, acceptAll: true }, withJournal)).toMatchObject({
      ...{ accepted: [], acceptFile: file, acceptsAll: true },
    });
    expect(readRunPlan({ acceptAll: true }, withJournal)).toMatchObject({ acceptFile: 'tabularium.coach.json' });
  });

  it.each([
    ['{"accept":[{"rule":"table-scan","account":"a","table":"T","shape":"t","why":"small"}]}', undefined],
    ['{"accept":[{"rule":"table-scan/unfiltered","why":"small"}]}', undefined],
    ['{"accept":[]}', undefined],
    ['nothing', 'is not JSON'],
    ['[]', "no list 'accept'"],
    ['{"accept":{}}', "no list 'accept'"],
    ['{"accept":["table-scan"]}', 'accept[0] is not an object'],
    ['{"accept":[{"rule":"table-scan"}]}', 'accept[0]: \'why\' is missing, such as "three rows, read once a day".'],
    ['{"accept":[{"rule":"table-scan","why":" "}]}', "accept[0]: 'why' must not be empty."],
    [
      '{"accept":[{"rule":"table-scans","why":"x"}]}',
      "'rule' must be a rule of the coach, as table-scan/unfiltered; got 'table-scans'.",
    ],
    ['{"accept":[{"rule":"table-scan","why":7}]}', "'why' must be a string; got 7."],
    ['{"accept":[{"rule":"table-scan","why":"x","tabel":"T"}]}', "There is no 'tabel'. Did you mean 'table'?"],
  ])('read the accepted findings %s: %s', async (text, message) => {
    await writeFile(file, text);
    const read = () => readRunPlan({ accept: file }, withJournal);
    if (message === undefined) expect(read()?.accepted).toEqual(JSON.parse(text).accept);
    else expect(read).toThrow(message);
  });
});
