import { pino } from 'pino';
import { describe, expect, it } from 'vitest';
import { humanLines } from '../../../src/log/log-lines.js';

/** Returns the lines that a logger prints for people. */
function linesOf(log: (logger: ReturnType<typeof pino>) => void, colored = false): string {
  let text = '';
  log(pino({ level: 'trace' }, humanLines({ write: (line) => (text += line) }, colored)));
  return text;
}

const request = {
  requestId: '3f2a68b0-0000-4000-8000-000000000000',
  method: 'GET',
  path: '/devstoreaccount1/Tables',
  operation: 'Query Tables',
  status: 200,
  ms: 1.2,
};
const time = String.raw`\d\d:\d\d:\d\d\.\d{3}`;

describe('A log line in the format for people', () => {
  it('of a request contains time, status, method, path, duration and id', () => {
    expect(linesOf((logger) => logger.info(request, 'request'))).toMatch(
      new RegExp(`^${time} 200 GET /devstoreaccount1/Tables 1\\.2 ms ${request.requestId}\n$`),
    );
  });

  it('of a rejected request contains the error code', () => {
    const rejected = { ...request, status: 404, error: 'TableNotFound' };

    expect(linesOf((logger) => logger.info(rejected, 'request'))).toMatch(/ 404 GET \S+ TableNotFound 1\.2 ms /);
  });

  it('of another event contains its level and its fields', () => {
    const text = linesOf((logger) => logger.warn({ port: 1, what: 'x', requestId: 'id' }, 'look'));

    expect(text).toMatch(new RegExp(`^${time} warning look port=1 what=x id\n$`));
  });

  it('of a fault is followed by the lines of its stack', () => {
    const text = linesOf((logger) => logger.error({ err: new Error('the engine failed') }, 'request failed'));

    expect(text).toMatch(new RegExp(`^${time} error request failed\n    Error: the engine failed\n    at `));
  });

  it('is colored only if colors are enabled', () => {
    const log = (logger: ReturnType<typeof pino>) => logger.info({ ...request, status: 500 }, 'request');

    expect(linesOf(log, true)).toContain('\u001b[31m500\u001b[39m GET');
    expect(linesOf(log, false)).not.toContain('\u001b');
  });

  it('never contains control characters', () => {
    const hostile = { ...request, path: '/a\u001b[2J\u009b2J\r\nb' };
    const texts = [
      linesOf((logger) => logger.info(hostile, 'request')),
      linesOf((logger) => logger.info({ name: '\u001b[2J' }, 'a\u0007b')),
      linesOf((logger) => logger.error({ err: new Error('\u001b[2J') }, 'failed')),
    ];

    for (const text of texts) expect(text).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f]/);
    expect(texts[0]?.split('\n')).toHaveLength(2);
  });
});
