/** A program that shows the page in place of a browser. Its script sets `tabularium` before the page starts. */
export interface PageHost {
  /** Scheme, host and port of the server, without a trailing slash. */
  readonly serverRoot: string;
  /** Sends a request to the server, as `fetch` does. The host adds the token. Errors: TypeError; AbortError. */
  readonly ask: (path: string, request: RequestInit) => Promise<Response>;
}

const { tabularium: host } = globalThis as { readonly tabularium?: PageHost };

/** Scheme, host and port of the server, for links and for what the user copies. */
export const serverRoot = host?.serverRoot ?? location.origin;

/** Sends a request to the server: the one way of the page to it. Errors: TypeError if there was no answer; AbortError. */
export const ask: PageHost['ask'] = host?.ask ?? ((path, request) => fetch(path, request));
