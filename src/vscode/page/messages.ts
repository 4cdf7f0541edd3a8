/** A message of the page about one of its requests. */
export type PageMessage = { readonly id: number } & (
  | {
      readonly kind: 'ask';
      readonly method: string;
      /** The path with its query. */
      readonly path: string;
      readonly headers: Readonly<Record<string, string>>;
      /** The length of the body; undefined for none. Unit: bytes. */
      readonly length: number | undefined;
    }
  | BodyMessage
  /** The page wants no more of the answer. */
  | { readonly kind: 'leave' }
);

/** A message of the extension about a request of the page. */
export type RelayMessage = { readonly id: number } & (
  | { readonly kind: 'head'; readonly status: number; readonly headers: readonly (readonly [string, string])[] }
  | BodyMessage
  /** The request failed. `reason`: why the relay rejects the request; undefined: the server did not answer. */
  | { readonly kind: 'failed'; readonly reason: string | undefined }
);

/** What the editor sends to its page: a message of the relay, or the place to show. */
export type EditorMessage = RelayMessage | { readonly kind: 'show'; readonly hash: string };

/** What both ends send: a part of a body, its end, and how many bytes of the other's body were taken. */
type BodyMessage =
  | { readonly kind: 'part'; readonly bytes: Uint8Array }
  | { readonly kind: 'end' }
  | { readonly kind: 'taken'; readonly bytes: number };

/** Largest body of a request. Unit: bytes. (Our choice: it passes through the memory of the editor.) */
export const uploadMax = 64 * 1024 * 1024;

/** Why a longer one is rejected. */
export const uploadFault =
  'An upload through the editor has at most 64 MiB. Open the page in the browser for a larger one.';

/** Most requests that run at once: those after them wait, as in a browser. */
export const streamsMax = 6;
