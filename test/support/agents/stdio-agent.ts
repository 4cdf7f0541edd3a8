import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cleanEnvironment, serverFile } from '../programs/run-program.js';

/** A message of JSON-RPC that answers. */
export interface Reply {
  readonly id?: number | string | null;
  readonly result?: Readonly<Record<string, unknown>>;
  readonly error?: { readonly code: number; readonly message: string };
}

/** The built command `mcp`, as a client starts it. */
export interface StdioAgent extends AsyncDisposable {
  /** Sends a request. Returns its reply. */
  ask(method: string, params?: object): Promise<Reply>;
  /** Writes any text. */
  write(text: string): void;
  /** Ends the input. Returns the exit code, and what the program wrote to standard error. */
  end(): Promise<{ readonly code: number | null; readonly errors: string }>;
}

/** Starts the command `mcp` with these arguments and variables. */
export function startAgent(words: readonly string[], variables: Readonly<Record<string, string>> = {}): StdioAgent {
  const child = spawn(process.execPath, [serverFile, 'mcp', ...words], { env: cleanEnvironment(variables) });
  const closed = once(child, 'close');
  const waiting = new Map<number, (reply: Reply) => void>();
  let rest = '';
  let errors = '';
  let last = 0;
  child.stdout.setEncoding('utf8').on('data', (part: string) => {
    const lines = `${rest}${part}`.split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) {
      const reply = JSON.parse(line) as Reply;
      waiting.get(Number(reply.id))?.(reply);
    }
  });
  child.stderr.setEncoding('utf8').on('data', (part: string) => {
    errors += part;
  });
  const end = async () => {
    child.stdin.end();
    const [code] = (await closed) as [number | null];
    return { code, errors };
  };
  return {
    ask(method, params = {}) {
      const id = ++last;
      const ended = closed.then(() => Promise.reject(new Error(`The program ended without a reply: ${errors}`)));
      const reply = new Promise<Reply>((resolve) => waiting.set(id, resolve));
      child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`);
      return Promise.race([reply, ended]);
    },
    write: (text) => void child.stdin.write(text),
    end,
    [Symbol.asyncDispose]: async () => {
      child.kill('SIGKILL');
      await closed;
    },
  };
}
