import { expect, it } from 'vitest';
import { expectTableError } from '../support/answers/expect-error.js';
import { describeService } from '../support/servers/describe-service.js';

const path = '/?restype=service&comp=properties';
const xml = { accept: 'application/xml', headers: { 'Content-Type': 'application/xml' } };

/** The elements of a rule with their usual values. */
const usual = {
  AllowedMethods: 'GET',
  AllowedOrigins: 'http://a.example',
  AllowedHeaders: '',
  ExposedHeaders: '',
  MaxAgeInSeconds: '5',
};
type Rule = Readonly<Partial<Record<keyof typeof usual, string | undefined>>>;

const element = (name: string, text: string) => (text === '' ? `<${name} />` : `<${name}>${text}</${name}>`);
const rule = (fields: Rule = {}) =>
  `<CorsRule>${Object.entries({ ...usual, ...fields })
    .map(([name, text]) => (text === undefined ? '' : element(name, text)))
    .join('')}</CorsRule>`;
const cors = (...rules: string[]) =>
  `<StorageServiceProperties><Cors>${rules.join('')}</Cors></StorageServiceProperties>`;
const many = (count: number, name: (at: number) => string) => Array.from({ length: count }, (_, at) => name(at)).join();

describeService('CORS rules in the service properties', ({ client }) => {
  const put = (body: string) => client.put(path, body, xml);
  const stored = async () => /<Cors.*<\/Cors>|<Cors \/>/.exec((await client.get(path, xml)).body)?.[0];
  const roundTrip = async (...rules: string[]) => {
    const answer = await put(cors(...rules));
    expect(answer.status, answer.body).toBe(202);
    return stored();
  };

  it('P15 stores five rules in their order', async () => {
    const rules = ['5', '3', '1', '4', '2'].map((age) => rule({ MaxAgeInSeconds: age }));

    expect(await roundTrip(...rules)).toBe(`<Cors>${rules.join('')}</Cors>`);
  });

  it.each(['AllowedHeaders', 'ExposedHeaders'])('P16 moves literal names of %s before prefixes', async (name) => {
    const sent = { [name]: 'x-ms-meta-data*,x-ms-meta-target*,x-ms-meta-xyz,x-ms-meta-foo' };
    const kept = { [name]: 'x-ms-meta-xyz,x-ms-meta-foo,x-ms-meta-data*,x-ms-meta-target*' };

    expect(await roundTrip(rule(sent))).toBe(`<Cors>${rule(kept)}</Cors>`);
  });

  it('P16 keeps the order of methods and origins', async () => {
    const sent = rule({ AllowedMethods: 'PUT,GET,MERGE', AllowedOrigins: 'http://b.example,http://a.example,*' });

    expect(await roundTrip(sent)).toBe(`<Cors>${sent}</Cors>`);
  });

  it('P16 joins lists without blanks', async () => {
    const sent = { AllowedMethods: 'PUT, GET', AllowedHeaders: ' a ,b ' };

    expect(await roundTrip(rule(sent))).toBe(
      `<Cors>${rule({ AllowedMethods: 'PUT,GET', AllowedHeaders: 'a,b' })}</Cors>`,
    );
  });

  it('P17 accepts empty lists of headers', async () => {
    expect(await roundTrip(rule())).toBe(`<Cors>${rule()}</Cors>`);
  });

  it.each(['DELETE', 'GET', 'HEAD', 'MERGE', 'POST', 'OPTIONS', 'PUT', 'PATCH', 'TRACE', 'CONNECT'])(
    'accepts the method %s',
    async (method) => {
      expect(await roundTrip(rule({ AllowedMethods: method }))).toBe(
        `<Cors>${rule({ AllowedMethods: method })}</Cors>`,
      );
    },
  );

  it.each(['0', '1', '86400', '2147483647'])('accepts the age %s', async (age) => {
    expect(await roundTrip(rule({ MaxAgeInSeconds: age }))).toBe(`<Cors>${rule({ MaxAgeInSeconds: age })}</Cors>`);
  });

  it('deletes all rules with <Cors />', async () => {
    await put(cors(rule()));

    await put('<StorageServiceProperties><Cors /></StorageServiceProperties>');

    expect(await stored()).toBe('<Cors />');
  });

  it.each([
    ['64 origins', { AllowedOrigins: many(64, (at) => `http://${at}`) }],
    ['64 literal headers', { AllowedHeaders: many(64, (at) => `h${at}`) }],
    ['2 prefixed headers and literal ones', { ExposedHeaders: `${many(64, (at) => `h${at}`)},a*,b*` }],
    ['an origin of 256 characters', { AllowedOrigins: 'o'.repeat(256) }],
    ['a header of 256 characters', { AllowedHeaders: 'h'.repeat(256) }],
  ])('takes %s', async (_limit, fields) => {
    expect(await roundTrip(rule(fields))).toBe(`<Cors>${rule(fields)}</Cors>`);
  });

  it('accepts all methods of the .NET library in one rule', async () => {
    const all = rule({ AllowedMethods: 'GET,HEAD,POST,PUT,DELETE,TRACE,OPTIONS,CONNECT,MERGE' });

    expect(await roundTrip(all)).toBe(`<Cors>${all}</Cors>`);
  });

  it.each([
    ['65 origins', { AllowedOrigins: many(65, (at) => `http://${at}`) }],
    ['65 literal headers that are allowed', { AllowedHeaders: many(65, (at) => `h${at}`) }],
    ['65 literal headers that are exposed', { ExposedHeaders: many(65, (at) => `h${at}`) }],
    ['3 prefixed headers that are allowed', { AllowedHeaders: 'a*,b*,c*' }],
    ['3 prefixed headers that are exposed', { ExposedHeaders: 'a*,b*,c*' }],
  ])('rejects %s as the value of a node, and changes nothing', async (_limit, fields) => {
    await put(cors(rule({ MaxAgeInSeconds: '77' })));

    const answer = await put(cors(rule(fields)));

    expectTableError(answer, 400, 'InvalidXmlNodeValue', {
      set: 'A3',
      message: 'The value for one of the XML nodes is not in the correct format.',
    });
    expect(await stored()).toBe(`<Cors>${rule({ MaxAgeInSeconds: '77' })}</Cors>`);
  });

  it.each([
    ['P15 six rules', cors(...Array<string>(6).fill(rule()))],
    ['an origin of 257 characters', cors(rule({ AllowedOrigins: 'o'.repeat(257) }))],
    ['a header of 257 characters', cors(rule({ AllowedHeaders: 'h'.repeat(257) }))],
    [
      'more than 2 KiB together',
      cors(
        ...many(5, (at) => `${at}`.repeat(250))
          .split(',')
          .map((text) => rule({ AllowedOrigins: text, AllowedHeaders: text })),
      ),
    ],
    ['no methods', cors(rule({ AllowedMethods: '' }))],
    ['no origins', cors(rule({ AllowedOrigins: '' }))],
    ['an unknown method', cors(rule({ AllowedMethods: 'GET,FETCH' }))],
    ['an age below 0', cors(rule({ MaxAgeInSeconds: '-1' }))],
    ['an age that is not a number', cors(rule({ MaxAgeInSeconds: 'x' }))],
    ['an age beyond 32 bits', cors(rule({ MaxAgeInSeconds: '2147483648' }))],
    ['no age', cors(rule({ MaxAgeInSeconds: '' }))],
    ['a rule without AllowedMethods', cors(rule({ AllowedMethods: undefined }))],
    ['a rule without AllowedOrigins', cors(rule({ AllowedOrigins: undefined }))],
    ['a rule without AllowedHeaders', cors(rule({ AllowedHeaders: undefined }))],
    ['a rule without ExposedHeaders', cors(rule({ ExposedHeaders: undefined }))],
    ['a rule without MaxAgeInSeconds', cors(rule({ MaxAgeInSeconds: undefined }))],
    ['a rule with an unknown element', cors(rule().replace('</CorsRule>', '<Name>x</Name></CorsRule>'))],
    ['an element that is not a rule', cors('<Rule/>')],
  ])('rejects %s, and changes nothing', async (_fault, body) => {
    await put(cors(rule({ MaxAgeInSeconds: '77' })));

    const answer = await put(body);

    expectTableError(answer, 400, 'InvalidXmlDocument', { set: 'A3' });
    expect(await stored()).toBe(`<Cors>${rule({ MaxAgeInSeconds: '77' })}</Cors>`);
  });
});
