import { expect, it } from 'vitest';
import { commonHeadersOf, expectHeaders } from '../support/answers/expect-answer.js';
import { expectTableError } from '../support/answers/expect-error.js';
import {
  asNew,
  logging,
  mark,
  metrics,
  noRetention,
  path,
  retention,
  root,
  xml,
} from '../support/bodies/service-properties-xml.js';
import type { RequestOptions } from '../support/clients/service-client.js';
import { describeService } from '../support/servers/describe-service.js';

describeService('Set Table Service Properties', ({ client }) => {
  const put = (body: string, options?: RequestOptions) => client.put(path, body, { ...xml, ...options });
  const get = async () => (await client.get(path, { accept: 'application/xml' })).body;
  const reset = async () => {
    const answer = await put(root(...Object.values(asNew)));
    expect(answer.status, answer.body).toBe(202);
  };

  it('P13 are set with 202, chunked and empty', async () => {
    const answer = await put(root(logging(true)));

    expect([answer.status, answer.reason, answer.body]).toEqual([202, 'Accepted', '']);
    expectHeaders(answer, { ...commonHeadersOf(answer), 'Transfer-Encoding': 'chunked' });
  });

  it.each([
    ['Logging', logging(true, retention(3))],
    ['HourMetrics', metrics('HourMetrics')],
    ['MinuteMetrics', metrics('MinuteMetrics', false, retention(1))],
    [
      'Cors',
      '<Cors><CorsRule><AllowedMethods>GET</AllowedMethods><AllowedOrigins>*</AllowedOrigins><AllowedHeaders />' +
        '<ExposedHeaders /><MaxAgeInSeconds>5</MaxAgeInSeconds></CorsRule></Cors>',
    ],
  ])('P13 change only %s if nothing else is sent', async (name, element) => {
    await reset();

    await put(root(element));

    expect(await get()).toBe(`${mark}${root(...Object.values({ ...asNew, [name]: element }))}`);
  });

  it('are answered in a fixed order, regardless of the order in the PUT', async () => {
    await reset();
    const turned =
      '<MinuteMetrics><RetentionPolicy><Days>2</Days><Enabled>true</Enabled></RetentionPolicy>' +
      '<IncludeAPIs>false</IncludeAPIs><Enabled>true</Enabled><Version>1.0</Version></MinuteMetrics>' +
      '<Logging><RetentionPolicy><Enabled>false</Enabled></RetentionPolicy><Delete>true</Delete><Write>true</Write>' +
      '<Read>false</Read><Version>1.0</Version></Logging>';

    const answer = await put(root(turned));

    expect(answer.status, answer.body).toBe(202);
    const written =
      '<Logging><Version>1.0</Version><Read>false</Read><Write>true</Write><Delete>true</Delete>' +
      `${noRetention}</Logging>`;
    expect(await get()).toBe(
      `${mark}${root(written, asNew.HourMetrics, metrics('MinuteMetrics', false, retention(2)), '<Cors />')}`,
    );
  });

  it('accept True and False with a capital, which one client writes', async () => {
    await reset();

    await put(root(logging(true).replace('true', 'True').replaceAll('false', 'False')));

    expect(await get()).toContain(logging(true));
  });

  it('omit Days if retention is disabled, and IncludeAPIs if metrics are disabled', async () => {
    await reset();
    const unmeasured = metrics('HourMetrics').replace('</Enabled>', '</Enabled><IncludeAPIs>false</IncludeAPIs>');

    await put(root(logging(true), unmeasured));

    expect(await get()).toContain(`${logging(true)}${metrics('HourMetrics')}`);
  });

  it.each([1, 7, 365])('P14 accept a retention of %i days', async (days) => {
    await put(root(logging(false, retention(days))));

    expect(await get()).toContain(`<Days>${days}</Days>`);
  });

  it('are set with the elements of version 2012-02-12', async () => {
    await reset();

    const answer = await put(root(logging(true), metrics('Metrics', false, retention(9))), { version: '2012-02-12' });

    expect(answer.status, answer.body).toBe(202);
    expect(await get()).toContain(`${logging(true)}${metrics('HourMetrics', false, retention(9))}`);
  });

  it.each([
    ['P14 366 days', root(logging(false, retention(366)))],
    ['0 days', root(logging(false, retention(0)))],
    ['days that are not a number', root(logging(false).replace(noRetention, retention(Number.NaN)))],
    [
      'a retention without its days',
      root(logging(false, '<RetentionPolicy><Enabled>true</Enabled></RetentionPolicy>')),
    ],
    [
      'P23 a retention that is off and has days',
      root(logging(false, '<RetentionPolicy><Enabled>False</Enabled><Days>5</Days></RetentionPolicy>')),
    ],
    ['logging without a retention', root(logging(false, ''))],
    ['logging without Read', root(logging(false).replace('<Read>false</Read>', ''))],
    ['another version', root(logging(false).replace('1.0', '2.0'))],
    ['no version', root(logging(false).replace('<Version>1.0</Version>', ''))],
    ['a value that is neither true nor false', root(logging(false).replace('<Read>false', '<Read>maybe'))],
    ['metrics without their APIs', root(metrics('HourMetrics', true).replace('<IncludeAPIs>true</IncludeAPIs>', ''))],
    ['IncludeAPIs of disabled metrics', root(metrics('HourMetrics', true).replace('<Enabled>true', '<Enabled>false'))],
    ['P18 an empty root', '<StorageServiceProperties />'],
    ['no body', ''],
    ['an unknown root', '<Properties/>'],
    ['an unknown part', root(logging(true), '<Sharing/>')],
    ['a duplicate part', root(logging(true), logging(true))],
    ['no XML', 'properties'],
    ['a valid part and an invalid one', root(logging(true), metrics('MinuteMetrics', true, ''))],
  ])('reject %s, and change nothing', async (_fault, body) => {
    await reset();

    const answer = await put(body);

    const message = 'XML specified is not syntactically valid.';
    expectTableError(answer, 400, 'InvalidXmlDocument', { set: 'A3', message });
    expect(await get()).toBe(`${mark}${root(...Object.values(asNew))}`);
  });

  it('P22 cannot be written on the secondary', async () => {
    const answer = await client.put(path, root(logging(true)), { ...xml, prefix: '/devstoreaccount1-secondary' });

    expectTableError(answer, 403, 'InsufficientAccountPermissions', { set: 'A3' });
  });
});
