import { createMcpHandler } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { type AgentAccess, createMcpServer } from './create-mcp-server.js';

/** Serves MCP on standard input and output, until the input ends. `report` receives errors of the connection, such as lines that are not JSON. */
export function serveInput(access: AgentAccess, report: (error: Error) => void): void {
  serveStdio(() => createMcpServer(access), { onerror: report });
}

/** A message of MCP over HTTP. */
export interface McpPost {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** The parsed body. */
  readonly body: unknown;
}

/** The answer to it. */
export interface McpAnswer {
  readonly status: number;
  readonly contentType: string;
  readonly body: string;
}

/** Answers one message by itself: nothing of a session is kept. */
export async function answerPost(access: AgentAccess, { url, headers, body }: McpPost): Promise<McpAnswer> {
  // A subscription is a stream without an end, and nothing here changes while a server runs.
  const handler = createMcpHandler(() => createMcpServer(access), { maxSubscriptions: 0 });
  try {
    const text = JSON.stringify(body ?? null);
    const answer = await handler.fetch(new Request(url, { method: 'POST', headers, body: text }), { parsedBody: body });
    const contentType = answer.headers.get('content-type') ?? 'application/json; charset=utf-8';
    return { status: answer.status, contentType, body: await answer.text() };
  } finally {
    await handler.close();
  }
}
