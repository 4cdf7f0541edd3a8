import { once } from 'node:events';
import { sendRequest } from '../client/http-transport.js';
import { requestOf } from '../client/request-of.js';
import { writeOut } from './output.js';
import type { VerbPart } from './verb-part.js';

/** The path that the command of a file may have. Without one, it prints the file. */
export const filePart: VerbPart = {
  word: { name: 'PATH', usage: '[PATH]', does: 'File to write (default: standard output).' },
  async run(server, verb, { asked, own: { PATH: path } }) {
    const answer = await sendRequest(server, requestOf(verb, asked));
    if (typeof path === 'string') {
      const { writeText } = await import('./write-report.js');
      await writeText(path, answer);
    } else {
      for await (const part of answer.setEncoding('utf8')) if (!writeOut(part)) await once(process.stdout, 'drain');
    }
    return 0;
  },
};
