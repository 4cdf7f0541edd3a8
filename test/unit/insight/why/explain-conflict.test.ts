import { describe, expect, it } from 'vitest';
import { writeEtag } from '../../../../src/entity/stored/entity.js';
import { explainConflict, type LastChange, type RejectedWrite } from '../../../../src/insight/explainer.js';

const change: LastChange = {
  kind: 'insert',
  at: Date.UTC(2026, 10, 22, 10),
  timestamp: '2026-11-22T10:00:00.0000000Z',
  mark: undefined,
  writer: {
    requestId: 'a-request',
    clientRequestId: undefined,
    operation: 'Insert Entity',
    caller: '127.0.0.1',
    userAgent: undefined,
  },
};
const rejected: RejectedWrite = {
  code: 'EntityAlreadyExists',
  sentEtag: undefined,
  presentEtag: writeEtag(change.timestamp),
  clientRequestId: undefined,
  isOwnTag: false,
  isShared: false,
};

describe('A conflict', () => {
  it('is explained by a change only if its tag is the present one', () => {
    expect(explainConflict(rejected, change)?.cause).toBe('entity-exists');
    expect(explainConflict(rejected, { ...change, timestamp: '2026-11-22T09:00:00.0000000Z' })?.cause).toBe(
      'EntityAlreadyExists',
    );
    expect(explainConflict({ ...rejected, presentEtag: undefined }, change)?.cause).toBe('EntityAlreadyExists');
  });

  it('whose change is not known says so, and names other servers only if there can be some', () => {
    expect(explainConflict(rejected, undefined)?.text).toBe(
      'An entity with these keys already exists. This server no longer has that change, so the request that made it is unknown.',
    );
    expect(explainConflict({ ...rejected, isShared: true }, undefined)?.text).toContain(
      'Another server on the same database may have made it.',
    );
  });

  it('with a missing entity is explained by a deletion only', () => {
    const missing: RejectedWrite = { ...rejected, code: 'ResourceNotFound', presentEtag: undefined };
    expect(explainConflict(missing, change)).toBeUndefined();
    expect(explainConflict(missing, { ...change, kind: 'delete' })?.cause).toBe('entity-deleted');
  });

  it('with a change that no request made names the program', () => {
    const text = explainConflict(rejected, { ...change, writer: undefined })?.text;
    expect(text).toContain('The program of the server wrote it at 2026-11-22T10:00:00.000Z.');
  });

  it('is a repetition only if both requests have the same client request id', () => {
    const writer = { ...(change.writer as NonNullable<LastChange['writer']>), clientRequestId: 'own' };
    const causeFor = (clientRequestId: string | undefined) =>
      explainConflict({ ...rejected, clientRequestId }, { ...change, writer })?.cause;
    expect(['own', 'other', undefined].map(causeFor)).toEqual(['own-repetition', 'entity-exists', 'entity-exists']);
  });
});
