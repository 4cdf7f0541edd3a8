import { it } from 'vitest';
import { AlikeBodies } from '../../src/entity/body/alike-bodies.js';
import { readEntity } from '../../src/entity/body/read-entity.js';
const ms = (f: () => void) => { const c = process.cpuUsage(); let e = ''; try { f(); } catch (x: any) { e = x.constructor.name + ':' + (x.code ?? x.message.slice(0, 60)); } const d = process.cpuUsage(c); return ((d.user + d.system) / 1000).toFixed(1) + e; };
it('y', () => {
  const names = Array.from({ length: 30 }, (_, i) => `a${i}`);
  const str = (v: string, last = v, end = '') => `{"PartitionKey":"p","RowKey":"r",${names.map((n, i) => `"${n}":"${i === 29 ? last : v}"`).join()}${end}}`;
  const num = (v: string, last = v, end = '') => `{"PartitionKey":"p","RowKey":"r",${names.map((n, i) => `"${n}":${i === 29 ? last : v}`).join()}${end}}`;
  const dt = (v: string, last = v, end = '') => `{"PartitionKey":"p","RowKey":"r",${names.map((n, i) => `"${n}@odata.type":"Edm.DateTime","${n}":"${i === 29 ? last : v}"`).join()}${end}}`;
  for (let round = 0; round < 3; round++)
  for (const [name, learn, bodies] of [
    ['str', str('x'), [str('x'.repeat(130000)), str('x'.repeat(130000), '\u0001'), str('x'.repeat(130000), 'x', ',"b":1'), str('x', 'x'.repeat(4000000)), str('x', 'x'.repeat(4000000), ',"b":1'), str('x', 'x'.repeat(4000000) + '"'), str('x'.repeat(130000), '\\u0041')]],
    ['num', num('1.5'), [num('1'.repeat(130000)), num('1.' + '1'.repeat(130000)), num('1.' + '1'.repeat(130000), '1', ',"b":1'), num('1e' + '1'.repeat(3)), num('1.5', '1'.repeat(4000000)), num('1.5', '1'.repeat(4000000), ',"b":1'), num('1.5', '1'.repeat(4000000) + 'x'), num('1.5', '1.' + '1'.repeat(4000000) + 'x')]],
    ['dt', dt('2026-01-01T00:00:00Z'), [dt('2026-01-01T00:00:00.1234567Z', '2026-01-01T00:00:00Z', ',"b":1'), dt('2026-01-01T00:00:00.1234567Z', '2026-01-31T00:00:00Z')]],
  ] as const) {
    const alike = new AlikeBodies();
    for (let n = 0; n < 40; n++) alike.read(learn, 32768);
    console.log('R', name, bodies.map((b) => `${ms(() => alike.read(b, 32768))}/${ms(() => readEntity(b, 32768))}`).join(' '));
  }
});
