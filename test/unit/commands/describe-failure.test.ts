import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it, vi } from 'vitest';
import { describeFailure } from '../../../src/commands/describe-failure.js';
import { run } from '../../../src/commands/program.js';
import { explainOpenFailure, raiseFileLimit } from '../../../src/store/level/explain-failure.js';
import { controlMark } from '../../../src/wire/reserved-endpoints.js';

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
    ['LEVEL_CORRUPTION', 'damaged', 'Restore a copy of the folder.'],
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

describe('A folder that cannot be locked', () => {
  const explain = (reason: string) =>
    explainOpenFailure(
      Object.assign(new Error(`IO error: lock /data/LOCK: ${reason}`), { code: 'LEVEL_LOCKED' }),
      '/data',
    );

  it.each(['No locks available', 'Operation not supported', 'Function not implemented'])(
    'is not in use by another process if the file system has no locks: %s',
    (reason) => {
      expect(explain(reason)).toMatchObject({
        code: 'no-access',
        fault: `The data in /data cannot be locked: IO error: lock /data/LOCK: ${reason}.`,
      });
    },
  );

  it.each(['already held by process', 'Resource temporarily unavailable', 'Permission denied'])(
    'is in use by another process: %s',
    (reason) => expect(explain(reason)).toMatchObject({ code: 'in-use' }),
  );
});

describe.each(['destroy', 'resetAndDestroy'] as const)('An answer whose connection ends by %s', (end) => {
  it.each([['changes', '--follow'], ['requests', '--follow'], ['export'], ['diff', 'base']])(
    'ends the command with a message, without a stack: %s',
    async (...words) => {
      const server = createServer((_request, answer) => {
        // A client may lose what it has not read when a reset comes.
        const hasBegun = () => {
          unsubscribe('http.client.response.finish', hasBegun);
          answer.socket?.[end]();
        };
        subscribe('http.client.response.finish', hasBegun);
        answer.writeHead(200, { 'Content-Type': 'application/x-ndjson', [controlMark]: 'control' }).write('\n');
      });
      await once(server.listen(0, '127.0.0.1'), 'listening');
      const port = String((server.address() as AddressInfo).port);
      const outputs = [process.stdout, process.stderr].map((one) => vi.spyOn(one, 'write').mockReturnValue(true));
      const code = await run(['', 'tabularium', ...words, '--url', port], {});
      const written = outputs.map(({ mock }) => mock.calls.join(''));
      for (const output of outputs) output.mockRestore();
      server.close();

      expect(code).toBeGreaterThan(0);
      expect(written[1]).toBe(
        'The server closed the connection before the end of its answer. It may have exited: see its log.\n',
      );
    },
  );
});
