import { describe, expect, it } from 'vitest';
import { describeError } from '../../../../src/dialects/storage/describe-error.js';
import { errorCatalogue } from '../../../../src/dialects/storage/error-catalogue.js';
import { tableErrorCodes } from '../../../../src/protocol/error-codes.js';
import { TableError } from '../../../../src/protocol/errors.js';

describe('the error catalogue of the storage service', () => {
  it.each(tableErrorCodes)('gives %s a status, a text and a wire format', (code) => {
    const described = describeError(new TableError(code));

    expect(described).toEqual(errorCatalogue[code]);
    expect(described.status >= 400 && described.status < 600).toBe(true);
    expect(described.message).not.toBe('');
  });

  it('lets a variant have a text and a wire format of its own, and the status of its code', () => {
    expect(
      describeError(new TableError('InvalidHeaderValue', { variant: { name: 'preflight-header-missing' } })),
    ).toEqual({
      status: 400,
      format: 'xml',
      message: 'A required CORS header is not present.',
    });
  });

  it('keeps the usual text where a variant only has another wire format', () => {
    expect(describeError(new TableError('InvalidInput', { variant: { name: 'table-name-reserved' } }))).toEqual({
      ...errorCatalogue.InvalidInput,
      format: 'engine',
    });
  });
});

describe('a TableError', () => {
  it('is a code with details, and has neither status nor text of the service', () => {
    const error = new TableError('InvalidInput', { variant: { name: 'if-none-match', verb: 'PUT' }, at: 3 });

    expect({ ...error }).toEqual({
      name: 'TableError',
      code: 'InvalidInput',
      variant: { name: 'if-none-match', verb: 'PUT' },
      at: 3,
    });
    expect(error.message).toBe('InvalidInput (if-none-match)');
  });
});
