import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { makePlace, type Place } from '../../support/programs/place.js';
import { type SentRequest as Request, sendingProgram } from '../../support/programs/sending-program.js';

let place: Place;
beforeEach(async () => {
  place = await makePlace('tabularium');
});
afterEach(() => place.clear());

/** Runs a command that sends these requests, and returns the lines that follow on standard error. */
async function linesAfter(requests: readonly Request[], code = 1): Promise<readonly string[]> {
  const script = sendingProgram(requests, code);
  const ended = await place.start('tabularium', ['exec', '--', process.execPath, '--eval', script]).ended;
  expect(ended).toMatchObject({ code, output: '' });
  return ended.errors
    .replace(/[0-9a-f]{8}-[0-9a-f-]{27}/g, 'ID')
    .split('\n')
    .slice(0, -1);
}

const createPeople: Request = ['POST', '/Tables', { TableName: 'People' }];
const person: Request = ['POST', '/People', { PartitionKey: 'p', RowKey: '1' }];
const entity = "/People(PartitionKey='p',RowKey='1')";

describe('tabularium exec, when its command fails', () => {
  it('prints the rejected requests with their explanations, and no line that needs the server', async () => {
    const lines = await linesAfter([createPeople, ['GET', '/Poeple'], person, person], 7);
    expect(lines.map((line) => line.replace(/\d{4}-\d\d-\d\dT[\d:.%A]+Z/g, 'TIME'))).toEqual([
      'The command exited with 7, and the server rejected 2 requests:',
      '  404 TableNotFound: GET /devstoreaccount1/Poeple',
      '    The table does not exist in this account.',
      '    There is a table People.',
      '    Create the table first, or fix the name.',
      '    request ID',
      '  409 EntityAlreadyExists: POST /devstoreaccount1/People',
      '    An entity with these keys already exists. Insert Entity (request ID) wrote it at TIME.',
      '    Use insert-or-replace or insert-or-merge if that is fine, or choose another RowKey.',
      `        present ETag: "W/\\"datetime'TIME'\\""`,
      '        written by: "ID"',
      '        operation: "Insert Entity"',
      '        client: "127.0.0.1 node"',
      '        at: "TIME"',
      '    request ID',
    ]);
  });

  it('prints each cause once, at most five of them, and counts the rest', async () => {
    const missing = (table: string): Request => ['GET', `/${table}`];
    const insert: Request = ['POST', '/Tg23', { PartitionKey: 'p', RowKey: '1' }];
    const lines = await linesAfter([insert, ...[...'abcdefgf'].map((name) => missing(`T${name}23`))]);

    expect(lines[0]).toBe('The command exited with 1, and the server rejected 9 requests:');
    expect(lines.filter((line) => /^ {2}\S/.test(line))).toEqual([
      ...['c', 'd', 'e'].map((name) => `  404 TableNotFound: GET /devstoreaccount1/T${name}23`),
      ...['g', 'f'].map((name) => `  404 TableNotFound: GET /devstoreaccount1/T${name}23, 2 times`),
      '  2 earlier requests with other causes',
    ]);
  });

  it('leaves out what programs expect', async () => {
    const insertIfMissing: readonly Request[] = [['GET', entity], person, ['GET', entity]];
    const stale = { 'If-Match': 'W/"datetime\'2020-01-01T00%3A00%3A00.0000000Z\'"' };
    const retried: readonly Request[] = [
      ['PUT', entity, { Age: 1 }, stale],
      ['PUT', entity, { Age: 1 }, { 'If-Match': '*' }],
    ];
    const deleteIfExists: Request = ['DELETE', "/Tables('Gone')"];
    expect(await linesAfter([createPeople, createPeople, ...insertIfMissing, ...retried, deleteIfExists])).toEqual([]);
  });

  it('says nothing of a command that succeeds', async () => {
    expect(await linesAfter([['GET', '/Missing']], 0)).toEqual([]);
  });
});
