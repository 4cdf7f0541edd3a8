import { describe, expect, it } from 'vitest';
import { describeFailure } from '../../../src/commands/describe-failure.js';
import { explainOpenFailure, raiseFileLimit } from '../../../src/store/level/format.js';

const message = 'EMFILE: too many open files, open';

describe('An error about too many open files', () => {
  it('names the limit to raise, without a stack', () => {
    const error = Object.assign(new Error(message), { code: 'EMFILE' });
    expect(describeFailure(error)).toBe(`${message}. ${raiseFileLimit}`);
  });

  it.each([message, 'IO error: 000005.ldb: Too many open files'])(
    'names the limit when the data cannot be opened: %s',
    (fault) => {
      expect(explainOpenFailure(new Error(fault), '/data').message).toBe(
        `The data in /data cannot be opened: ${fault}. ${raiseFileLimit}`,
      );
    },
  );
});

describe('A store that cannot be opened', () => {
  it.each([
    ['LEVEL_LOCKED', 'in-use', 'Stop it, or choose another --location.'],
    ['LEVEL_CORRUPTION', 'damaged', 'Nothing was changed. Restore a copy of the folder.'],
    [
      'LEVEL_IO_ERROR',
      'no-access',
      'Check that the folder is writable and that its disk is not full, or choose another --location.',
    ],
  ])('has a code and a remedy: %s', (engineCode, code, remedy) => {
    const error = explainOpenFailure(Object.assign(new Error('why'), { code: engineCode }), '/data');

    expect(error).toMatchObject({ code, remedy });
    expect(describeFailure(error)).toBe(`${error.fault} ${remedy}`);
  });
});
