import { createServer } from 'node:net';
import { onTestFinished } from 'vitest';

/** Starts a server that speaks PostgreSQL's protocol, and answers every statement with its name. Returns its URL. It ends with the test. */
export async function imitateDatabase(version: string): Promise<string> {
  const server = createServer((socket) => {
    let isStarted = false;
    socket.on('error', () => {});
    socket.on('data', (data) => {
      const isStatement = isStarted && data[0] === 'Q'.charCodeAt(0);
      if (isStarted && !isStatement) return;
      const parts = isStarted ? answerOf(version) : [message('R', int32(0))];
      socket.write(Buffer.concat([...parts, message('Z', Buffer.from('I'))]));
      isStarted = true;
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => new Promise((resolve) => server.close(() => resolve())));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('The server has no port.');
  return `postgres://user@127.0.0.1:${address.port}/x`;
}

/** Returns the messages of a result with one row and one column of text. */
function answerOf(version: string): readonly Buffer[] {
  const text = Buffer.from(version);
  // Name, table, column, type (text), size, modifier and format of the column.
  const column = Buffer.concat([Buffer.from('version\0'), Buffer.from('000000000000000000190001ffffffff0000', 'hex')]);
  return [
    message('T', Buffer.concat([int16(1), column])),
    message('D', Buffer.concat([int16(1), int32(text.length), text])),
    message('C', Buffer.from('SELECT 1\0')),
  ];
}

function message(kind: string, body: Buffer): Buffer {
  return Buffer.concat([Buffer.from(kind), int32(4 + body.length), body]);
}

function int16(value: number): Buffer {
  const bytes = Buffer.alloc(2);
  bytes.writeInt16BE(value);
  return bytes;
}

function int32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeInt32BE(value);
  return bytes;
}
