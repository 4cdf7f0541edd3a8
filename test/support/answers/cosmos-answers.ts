import { expect } from 'vitest';
import type { Answer } from './answer.js';

/** Matches an ETag of Cosmos DB, which always has seven digits. Source: cosmos 3. */
export const cosmosEtag: unknown = expect.stringMatching(/^W\/"datetime'\d{4}-\d\d-\d\dT\d\d%3A\d\d%3A\d\d\.\d{7}Z'"$/);

/** Matches a time of Cosmos DB. */
export const cosmosTime: unknown = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{7}Z$/);

/** Returns the type of JSON at a level. Source: cosmos 1. */
export function cosmosType(level = 'minimalmetadata'): string {
  return `application/json;odata=${level}`;
}

/** Expects exactly these headers, apart from those that every answer has. Source: cosmos 1. */
export function expectCosmosHeaders(answer: Answer, own: Readonly<Record<string, unknown>>): void {
  const { Date: date, 'x-ms-request-id': id, ...others } = Object.fromEntries(answer.rawHeaders);
  expect(date).toBeDefined();
  expect(id).toMatch(/^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
  expect(others).toEqual(own);
}

/** An error as it is expected. */
export interface CosmosFailure {
  readonly status: number;
  readonly code: string;
  readonly message: string;
  /** Whether the text names the activity. */
  readonly form: 'short' | 'long';
  readonly level: 'minimalmetadata' | 'nometadata' | 'fullmetadata';
}

const build = 'documentdb-dotnet-sdk/2.14.0 Host/64-bit MicrosoftWindowsNT/10.0.20348.0';

/** Expects an error, whole: status, headers and body with its line end. Source: cosmos 8. */
export function expectCosmosError(answer: Answer, { status, code, message, form, level }: CosmosFailure): void {
  const id = answer.headers['x-ms-request-id'] ?? '';
  const activity = form === 'long' ? `\r\nActivityId: ${id}, ${build}` : '';
  const value = `${message}${activity}\nRequestID:${id}\n`;
  expect(answer.status, answer.body).toBe(status);
  expect(answer.body).toBe(`${JSON.stringify({ 'odata.error': { code, message: { lang: 'en-us', value } } })}\r\n`);
  expectCosmosHeaders(answer, { 'Content-Type': cosmosType(level), 'Transfer-Encoding': 'chunked' });
}

/** One part of the answer of a transaction: its status line, its header lines and its body. */
export interface CosmosPart {
  readonly status: string;
  readonly headers: readonly string[];
  readonly body: string;
}

/** Reads the parts of an answer and expects exactly the recorded envelope with its line ends. Source: cosmos 6. */
export function readCosmosParts(answer: Answer): readonly CosmosPart[] {
  expect(answer.status, answer.body).toBe(202);
  const batch = answer.headers['content-type']?.split('boundary=')[1] ?? '';
  expectCosmosHeaders(answer, {
    'Content-Type': expect.stringMatching(/^multipart\/mixed; boundary=batchresponse_/),
    'Transfer-Encoding': 'chunked',
  });
  const head = `^--${batch}\r\nContent-Type: multipart/mixed; boundary=(changesetresponse_[-0-9a-f]+)\r\n\r\n`;
  const [, set = '', text = ''] = new RegExp(`${head}([^]*)\n--${batch}--\r\n$`).exec(answer.body) ?? [];
  expect(text.endsWith(`--${set}--`), answer.body).toBe(true);
  const start = `--${set}\nContent-Type: application/http\nContent-Transfer-Encoding: binary\n\n`;
  return text
    .slice(0, -`--${set}--`.length)
    .split(start)
    .slice(1)
    .map((part) => {
      const blank = part.indexOf('\r\n\r\n');
      const [status = '', ...headers] = part.slice(0, blank).split('\r\n');
      expect(part.endsWith('\r\n')).toBe(true);
      return { status: status.slice('HTTP/1.1 '.length), headers, body: part.slice(blank + 4, -2) };
    });
}
