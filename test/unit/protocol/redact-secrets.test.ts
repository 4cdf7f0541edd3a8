import { describe, expect, it } from 'vitest';
import { redactSecrets } from '../../../src/protocol/redact-secrets.js';

describe('A text without its signatures', () => {
  it.each([
    ['/a/Tables', '/a/Tables'],
    ['/a/Tables?sv=1&sig=secret%3D&sp=r', '/a/Tables?sv=1&sig=…&sp=r'],
    ['/a?SIG=secret', '/a?SIG=…'],
    ['/a?%73ig=secret', '/a?%73ig=…'],
    ['/a?%20sig=secret', '/a?%20sig=…'],
    ['/a?sig=one&sig=two', '/a?sig=…&sig=…'],
    ['/a?signature=kept&x=sig', '/a?signature=kept&x=sig'],
    ['/a?%zz=1', '/a?%zz=1'],
    ['/a/Tables?%24top=1?sig=S', '/a/Tables?%24top=1?sig=…'],
    ['/a/Tables%3Fsv=1&sig=S', '/a/Tables%3Fsv=1&sig=…'],
    ['/a/Tables%3Fsig%3DS%26sp%3Dr', '/a/Tables%3Fsig%3D…'],
    ['/a?x=http%3A%2F%2Fh%2Fa%3Fsig%3dS%252B&y=1', '/a?x=http%3A%2F%2Fh%2Fa%3Fsig%3d…&y=1'],
    ['/a?%2573%2549g%253DS', '/a?%2573%2549g%253D…'],
    ['/a?%u0073ig=S', '/a?%u0073ig=…'],
    ['/a?sig+%20=S', '/a?sig+%20=…'],
    ['/a?sig=', '/a?sig='],
    ['/a?sig=&sp=r', '/a?sig=&sp=r'],
    ['/a?%%373ig=S', '…'],
    ['/a/sig/T(PartitionKey=%27design%27)', '/a/sig/T(PartitionKey=%27design%27)'],
    ['/a?', '/a?'],
  ])('%s is %s', (text, shown) => {
    expect(redactSecrets(text)).toBe(shown);
  });

  it('is empty if it is percent-encoded too many times', () => {
    const nested = (times: number): string => (times === 0 ? '%73ig=S' : nested(times - 1).replace('%', '%%325'));

    expect(redactSecrets(`/a?${nested(20)}`)).toBe('…');
    expect(redactSecrets(`/a?%${'25'.repeat(30_000)}73ig=S`)).not.toContain('=S');
  });
});
