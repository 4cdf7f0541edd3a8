/** The parameters that each request has since the revision of July 2026, which knows no sessions. */
export const modernParams = {
  _meta: {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
    'io.modelcontextprotocol/clientCapabilities': {},
  },
} as const;

/** The parameters of `initialize`, by which clients of earlier revisions begin. */
export const initializeParams = {
  protocolVersion: '2025-11-25',
  capabilities: {},
  clientInfo: { name: 'test', version: '1' },
} as const;

/** The result of a tool. */
export interface ToolResult {
  readonly isError?: boolean;
  readonly content: readonly { readonly text: string }[];
  readonly structuredContent?: object;
}

/** Returns the text of a result, with `Error: ` before that of a failed call. */
export function textOfResult(result: unknown): string {
  const { isError, content } = result as ToolResult;
  return `${isError ? 'Error: ' : ''}${content.map(({ text }) => text).join('\n')}`;
}

/** Returns the names of a list of tools. */
export function toolNames(result: unknown): readonly string[] {
  return (result as { readonly tools: readonly { readonly name: string }[] }).tools.map(({ name }) => name);
}
