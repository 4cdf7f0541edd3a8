import { pino } from 'pino';
import { describe, expect, it } from 'vitest';
import { humanLines } from '../../../src/http/log-lines.js';

/** What a logger writes for people. */
function linesOf(log: (logger: ReturnType<typeof pino>) => void, coloured = false): string {
  let text = '';
  log(pino({ level: 'trace' }, humanLines({ write: (line) => (text += line) }, coloured)));
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

describe('A log line for people', () => {
  it('about a request says when, how it ended, what it was, how long it took, and its id', () => {
    expect(linesOf((logger) => logger.info(request, 'request'))).toMatch(
      new RegExp(`^${time} 200 GET /devstoreaccount1/Tables 1\\.2 ms ${request.requestId}\n$`),
    );
  });

  it('about a refusal says why', () => {
    const refused = { ...request, status: 404, error: 'TableNotFound' };

    expect(linesOf((logger) => logger.info(refused, 'request'))).toMatch(/ 404 GET \S+ TableNotFound 1\.2 ms /);
  });

  it('about anything else says how grave it is, and what belongs to it', () => {
    const text = linesOf((logger) => logger.warn({ port: 1, what: 'x', requestId: 'id' }, 'look'));

    expect(text).toMatch(new RegExp(`^${time} warning look port=1 what=x id\n$`));
  });

  it('about a fault says where it came from, on lines of their own', () => {
    const text = linesOf((logger) => logger.error({ err: new Error('the engine failed') }, 'request failed'));

    expect(text).toMatch(new RegExp(`^${time} error request failed\n    Error: the engine failed\n    at `));
  });

  it('is in colours only where somebody sees them', () => {
    const log = (logger: ReturnType<typeof pino>) => logger.info({ ...request, status: 500 }, 'request');

    expect(linesOf(log, true)).toContain('\u001b[31m500\u001b[39m GET');
    expect(linesOf(log, false)).not.toContain('\u001b');
  });

  it('never holds what a terminal would obey', () => {
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
