import { expect, it } from 'vitest';
import { newestVersion } from '../../src/protocol/versions.js';
import { jsonTypeAt } from '../support/answers/expect-answer.js';
import { expectTableError } from '../support/answers/expect-error.js';
import { describeService } from '../support/servers/describe-service.js';

describeService('Divergences in versions and formats', ({ client, withEntity }) => {
  it.each([
    'application/*',
    'text/html, */*;q=0.8',
    'text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,*/*;q=0.8',
    'image/png, application/*',
  ])('answers with minimal JSON under Accept: %s', async (accept) => {
    const { path } = await withEntity();

    for (const version of ['2014-02-14', '2019-02-02']) {
      const read = await client.get(path, { accept, version });
      const missing = await client.get(path.replace("'r'", "'missing'"), { accept, version });

      expect(read.headers['content-type']).toBe(jsonTypeAt('minimalmetadata'));
      expectTableError(missing, 404, 'ResourceNotFound', { level: 'minimalmetadata' });
    }
  });

  it.each(['text/html', 'image/png, text/plain'])('rejects Accept: %s, which excludes JSON', async (accept) => {
    const answer = await client.get('/Tables', { accept });

    expectTableError(answer, 415, 'MediaTypeNotSupported', { set: 'B1' });
  });

  it.each(['2015-12-11', '2019-02-02'])(
    'rejects Accept: application/atom+xml at %s, with an error in XML',
    async (version) => {
      const answer = await client.get('/Tables', { version, accept: 'application/atom+xml' });

      expectTableError(answer, 415, 'AtomFormatNotSupported', { set: 'B1' });
    },
  );

  it.each(['2016-01-01', '2019-02-03', '2031-01-01', '9999-12-31'])(
    'serves the unknown version %s, and echoes it',
    async (version) => {
      const answer = await client.get('/Tables', { version, headers: { 'x-ms-client-request-id': 'x' } });

      expect(answer.status).toBe(200);
      expect(answer.headers['x-ms-version']).toBe(version);
    },
  );

  it('serves a version that is too new as the newest known one', async () => {
    const answer = await client.get('/Tables', { version: '2031-01-01', auth: 'none' });

    expectTableError(answer, 401, 'NoAuthenticationInformation', { set: 'A2' });
  });

  it('serves a request without a version as the newest known one', async () => {
    const answer = await client.get('/Tables', { headers: { 'x-ms-version': undefined } });

    expect(answer.status).toBe(200);
    expect(answer.headers['x-ms-version']).toBe(newestVersion);
  });

  it.each(['2019-2-2', '2019-02-30', '2019-02-02x', 'latest'])(
    'rejects the version %s, which is not a date',
    async (version) => {
      const answer = await client.get('/Tables', { version });

      expect(answer.status).toBe(400);
      expect(answer.body).toContain('<code>InvalidHeaderValue</code>');
    },
  );
});
