import { describe, expect, it } from 'vitest';
import { isWithinAddresses } from '../../../src/auth/address-range.js';

describe('isWithinAddresses', () => {
  it.each([
    ['10.0.0.5', ['10.0.0.5', '::ffff:10.0.0.5', '::FFFF:10.0.0.5'], ['10.0.0.4', '10.0.0.6', '::1', '']],
    ['10.0.0.5-10.0.0.7', ['10.0.0.5', '10.0.0.6', '10.0.0.7'], ['10.0.0.4', '10.0.0.8', '11.0.0.6']],
    ['10.0.0.9-10.0.0.10', ['10.0.0.9', '10.0.0.10'], ['10.0.0.1', '10.0.0.90']],
    ['10.0.0.250-10.0.1.5', ['10.0.0.255', '10.0.1.0'], ['10.0.0.249', '10.0.1.6']],
    ['0.0.0.0-255.255.255.255', ['0.0.0.0', '127.0.0.1', '255.255.255.255'], ['::1']],
    ['10.0.0.5-10.0.0.5', ['10.0.0.5'], ['10.0.0.4']],
  ])('includes exactly the addresses of %s', (range, within, outside) => {
    const test = (caller: string) => isWithinAddresses(range, caller);

    expect(within.filter(test)).toEqual(within);
    expect(outside.filter(test)).toEqual([]);
  });

  it.each([
    '',
    '-',
    '10.0.0.5-',
    '-10.0.0.5',
    '10.0.0.7-10.0.0.5',
    '10.0.0.5-10.0.0.6-10.0.0.7',
    '10.0.0',
    '10.0.0.256',
    '10.0.0.0/8',
    '10.0.0.*',
    ' 10.0.0.5',
    '10.0.0.5 - 10.0.0.7',
    '::1',
    '::ffff:10.0.0.5',
    'localhost',
  ])('includes no address in the malformed range %j', (range) => {
    const callers = ['10.0.0.5', '10.0.0.6', '127.0.0.1', '::1', '::ffff:10.0.0.5', ''];

    expect(callers.filter((caller) => isWithinAddresses(range, caller))).toEqual([]);
  });
});
