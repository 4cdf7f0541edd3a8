import { describe, expect, it } from 'vitest';
import { KnownLayouts } from '../../../src/entity/body/known-layouts.js';
import { readAnyEntity } from '../../../src/entity/body/read-entity.js';

/** Returns layouts that have learned these bodies. */
function layoutsOf(...bodies: readonly string[]): KnownLayouts {
  const layouts = new KnownLayouts();
  for (const body of bodies) layouts.learn(body);
  return layouts;
}

const key = '"PartitionKey":"p","RowKey":"r"';

describe('KnownLayouts', () => {
  it.each([
    ['{"PartitionKey":"p","RowKey":"r"}', '{"PartitionKey":"","RowKey":"a b"}'],
    [`{${key},"N":1,"D":0.5}`, `{${key},"N":-20,"D":3}`],
    [`{${key},"B":true}`, `{${key},"B":false}`],
    [`{"S":"x",${key},"E":""}`, `{"S":"y z",${key},"E":"!"}`],
    [`{${key},"I":"1","I@odata.type":"Edm.Int64"}`, `{${key},"I":"-922337203685477580","I@odata.type":"Edm.Int64"}`],
    [`{${key},"D@odata.type":"Edm.Double","D":1}`, `{${key},"D@odata.type":"Edm.Double","D":1.5e300}`],
    [
      `{${key},"W@odata.type":"Edm.DateTime","W":"2024-02-01T00:00:00Z"}`,
      `{${key},"W@odata.type":"Edm.DateTime","W":"2024-02-01T00:00:00.0000001Z"}`,
    ],
    [`{${key},"Timestamp":"x","odata.etag":"y","N":null}`, `{${key},"Timestamp":"z","odata.etag":"","N":null}`],
    [`{ "PartitionKey" : "p",\n\t"RowKey": "r" }`, `{ "PartitionKey" : "q",\n\t"RowKey": "s" }`],
  ])('reads, as %s, also %s', (learned, other) => {
    const layouts = layoutsOf(learned);
    expect(layouts.read(learned)).toEqual(readAnyEntity(learned));
    expect(layouts.read(other)).toEqual(readAnyEntity(other));
  });

  it.each([
    ['another name', `{${key},"A":1}`, `{${key},"B":1}`],
    ['another type', `{${key},"A@odata.type":"Edm.Int64","A":"1"}`, `{${key},"A@odata.type":"Edm.Guid","A":"1"}`],
    ['one member more', `{${key},"A":1}`, `{${key},"A":1,"B":1}`],
    ['a name twice', `{${key},"A":1}`, `{${key},"A":1,"A":1}`],
    ['another order', `{${key},"A":1,"B":2}`, `{${key},"B":2,"A":1}`],
    ['a text after it', `{${key}}`, `{${key}}{}`],
    ['an escape', `{${key},"A":"a"}`, `{${key},"A":"\\u0041"}`],
    ['a value that the service writes in another form', `{${key},"A":"a"}`, `{${key},"A":"é"}`],
    ['a date that does not exist', day('2024-02-01'), day('2024-02-30')],
    ['a value in the place of a name', '{"A":"A"}', '{"B":"A"}'],
    ['a digit in the place of one in a name', '{"A1":1}', '{"A2":1}'],
    ['an escape in a name', '{"\\u0041":1}', '{"\\u0042":1}'],
    ['a sign that patterns use', `{${key},"a.b@x":"","A":1}`, `{${key},"aXb@x":"","A":1}`],
  ])('does not know a body with %s', (_what, learned, other) => {
    expect(layoutsOf(learned).read(other)).toBeUndefined();
  });

  it('knows the layouts that are in use, however many others come', () => {
    const layouts = layoutsOf('{"Used":1}');
    for (let at = 0; at < 2000; at++) {
      layouts.learn(`{"Other${at}":1}`);
      expect(layouts.read('{"Used":2}')).toBeDefined();
    }
    expect(layouts.read('{"Other0":1}')).toBeDefined();
    expect(layouts.read('{"Other500":1}')).toBeUndefined();
  });

  it('learns a layout after a while, when it knows many others', () => {
    const layouts = layoutsOf(...Array.from({ length: 100 }, (_, at) => `{"Other${at}":1}`));
    expect(layouts.read('{"New":1}')).toBeUndefined();
    for (let at = 0; at < 32; at++) layouts.learn('{"New":1}');
    expect(layouts.read('{"New":1}')).toBeDefined();
  });

  it('tries few of the bodies that no layout knows, which cost more to learn than to read', () => {
    const layouts = layoutsOf(...Array.from({ length: 40 }, () => '{"A":"é"}'));
    layouts.learn('{"B":1}');
    expect(layouts.read('{"B":1}')).toBeUndefined();
    for (let at = 0; at < 32; at++) layouts.learn('{"B":1}');
    expect(layouts.read('{"B":1}')).toBeDefined();
  });

  it('knows no layout of a body with too many members', () => {
    const body = (count: number) => `{${Array.from({ length: count }, (_, at) => `"Property${at}":"${at}"`).join()}}`;
    expect(layoutsOf(body(100)).read(body(100))).toEqual(readAnyEntity(body(100)));
    expect(layoutsOf(body(252)).read(body(252))).toBeUndefined();
  });
});

function day(text: string): string {
  return `{${key},"W@odata.type":"Edm.DateTime","W":"${text}T00:00:00Z"}`;
}
