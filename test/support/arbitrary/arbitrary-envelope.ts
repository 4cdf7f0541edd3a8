import fc from 'fast-check';

/** One request of a batch, and how it is written. */
export interface SentPart {
  readonly method: string;
  readonly url: string;
  /** By lower-case name. An empty header is written and must be ignored. */
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: string;
  readonly contentId: { readonly place: 'request' | 'part' | 'nowhere'; readonly value: string };
  /** Number of blank lines after the head of the part, after the head of the request, and after its body. */
  readonly blanks: readonly [part: number, request: number, body: number];
}

/** How a client writes the envelope around the parts. */
export interface EnvelopeStyle {
  readonly end: '\r\n' | '\n';
  readonly outer: string;
  readonly inner: string;
  readonly writeType: readonly [outer: TypeStyle, inner: TypeStyle];
  readonly nameCase: 'lower' | 'usual' | 'upper';
  /** A delimiter directly after the JSON. */
  readonly glued: boolean;
  readonly encoding: boolean;
  readonly blanksBeforeChangeSet: number;
  readonly blanksBehindChangeSet: number;
  /** The last delimiter without its dashes. */
  readonly openEnd: boolean;
  /** The body without its last line end. */
  readonly cutEnd: boolean;
  readonly preamble: string;
}

type TypeStyle = 'plain' | 'tight' | 'quoted' | 'charset';

/** A boundary of characters that need no quotes. */
const boundary = fc.string({ unit: fc.constantFrom(..."abyz019'+_,.:=?"), minLength: 1, maxLength: 40 });

/** Two boundaries. Often one is the beginning of the other. */
const boundaries = fc
  .oneof(
    fc.tuple(boundary, boundary),
    fc.tuple(boundary, boundary).map(([a, b]) => [a, `${a}-${b}`] as const),
    fc.tuple(boundary, boundary).map(([a, b]) => [`${a}-${b}`, a] as const),
    fc.tuple(fc.uuid(), fc.uuid()).map(([a, b]) => [`batch_${a}`, `changeset_${b}`] as const),
  )
  .filter(([outer, inner]) => outer !== inner);

const count = fc.integer({ min: 0, max: 2 });
const typeStyle = fc.constantFrom<TypeStyle>('plain', 'tight', 'quoted', 'charset');

const style: fc.Arbitrary<EnvelopeStyle> = fc
  .record({
    end: fc.constantFrom('\r\n' as const, '\n' as const),
    boundaries,
    writeType: fc.tuple(typeStyle, typeStyle),
    nameCase: fc.constantFrom('lower' as const, 'usual' as const, 'upper' as const),
    glued: fc.boolean(),
    encoding: fc.boolean(),
    blanksBeforeChangeSet: count,
    blanksBehindChangeSet: count,
    openEnd: fc.boolean(),
    cutEnd: fc.boolean(),
    preamble: fc.constantFrom('', 'A preamble.\r\n', '\r\n', '-\n'),
  })
  .map(({ boundaries: [outer, inner], ...rest }) => ({ ...rest, outer, inner }));

const keyText = fc.string({ unit: fc.constantFrom("'", 'a', 'ß', ' ', '+', '%', '(', ',', '/'), maxLength: 8 });

/** A key in a path, with plain quotes or completely percent-encoded. */
const quotedKey = fc.tuple(keyText, fc.boolean()).map(([text, all]) => {
  const quoted = `'${text.replaceAll("'", "''")}'`;
  return all ? encodeURIComponent(quoted).replaceAll("'", '%27') : encodeURIComponent(quoted);
});

const url = fc
  .record({
    root: fc.constantFrom('', '/account', 'http://127.0.0.1:10002/account', 'https://account.table.core.windows.net'),
    key: fc.option(fc.tuple(quotedKey, quotedKey)),
    query: fc.constantFrom('', '?$format=application%2Fjson%3Bodata%3Dminimalmetadata', '?sv=2019-02-02&sig=a%2Bb%3D'),
  })
  .map(({ root, key, query }) => `${root}/T${key ? `(PartitionKey=${key[0]},RowKey=${key[1]})` : ''}${query}`);

const headerValue = fc.string({ unit: fc.constantFrom('a', '*', '"', ':', ';', '=', ' ', '-', 'é'), maxLength: 12 });
const headers = fc.uniqueArray(
  fc.tuple(fc.constantFrom('if-match', 'prefer', 'accept', 'x-ms-version', 'dataserviceversion'), headerValue),
  { selector: ([name]) => name },
);

/** JSON on one line with any text in it. */
const json = fc
  .dictionary(fc.string({ maxLength: 5 }), fc.oneof(fc.string({ unit: 'binary', maxLength: 20 }), fc.integer()))
  .map((properties) => JSON.stringify(properties));

const part = (method: fc.Arbitrary<string>): fc.Arbitrary<SentPart> =>
  fc
    .record({
      method,
      url,
      headers,
      json,
      contentId: fc.record({
        place: fc.constantFrom('request' as const, 'part' as const, 'nowhere' as const),
        value: fc.constantFrom('0', '1', 'free text'),
      }),
      blanks: fc.tuple(count, count, count),
    })
    .map(({ json: text, ...rest }) => {
      const bodiless = rest.method === 'GET' || rest.method === 'DELETE';
      return { ...rest, body: bodiless ? '' : text };
    });

/** A batch: its parts, and how it is written. */
export interface SentBatch {
  readonly kind: 'change-set' | 'query';
  readonly parts: readonly SentPart[];
  readonly style: EnvelopeStyle;
}

/** Any batch in the style of any client. */
export const sentBatch: fc.Arbitrary<SentBatch> = fc
  .oneof(
    { weight: 4, arbitrary: fc.record({ kind: fc.constant('change-set' as const), parts: writes(), style }) },
    {
      weight: 1,
      arbitrary: fc.record({ kind: fc.constant('query' as const), parts: fc.tuple(part(fc.constant('GET'))), style }),
    },
  )
  .filter(({ parts, style: { outer, inner } }) => {
    // A delimiter may be within a line, so a boundary must not occur in a part.
    const texts = parts.flatMap(({ body, headers: written }) => [body, ...written.map(([, value]) => value)]);
    return !texts.some((text) => text.includes(`--${outer}`) || text.includes(`--${inner}`));
  });

/** Any number of writes. Often a write differs from the previous one only in its body. */
function writes(): fc.Arbitrary<SentPart[]> {
  const one = fc.tuple(part(fc.constantFrom('POST', 'PUT', 'MERGE', 'PATCH', 'DELETE')), fc.boolean());
  return fc.array(one, { maxLength: 6 }).map((drawn) => {
    const sent: SentPart[] = [];
    for (const [own, alike] of drawn) {
      const before = sent.at(-1);
      const body = before?.body === '' ? '' : own.body;
      sent.push(alike && before ? { ...before, body } : own);
    }
    return sent;
  });
}
