import { gunzipSync } from 'node:zlib';
import { readPackageFile } from '../../package-file.js';
import type { HeaderFields } from '../../protocol/header-fields.js';
import { rememberedLast } from '../../remembered.js';
import { answerJson, type ControlAnswer } from '../control-row.js';

/** A file of the page in the manifest. Source: src/explorer/build.mjs. */
interface BuiltFile {
  readonly contentType: string;
  /** Hash of the content in quotes, for the `ETag` header. */
  readonly etag: string;
}

/** A file with its content in both encodings. */
interface PageFile extends BuiltFile {
  readonly br: Uint8Array;
  readonly gzip: Uint8Array;
}

/** The output folder of the build. */
const folder = 'dist/explorer';

/** The files by name. Only names in the map are served, so no request can reach another file on disk. */
const filesIn = rememberedLast(readFiles);

/**
 * The page loads scripts and styles from this server only, and connects only to it. Entity values cannot become scripts, because
 * strings cannot be assigned as HTML.
 */
const policy =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'none'; connect-src 'self'; " +
  "form-action 'none'; frame-ancestors 'none'; base-uri 'none'; require-trusted-types-for 'script'";

/** Serves a file of the page in the best encoding that the client accepts. Reads all files on the first call. */
export function answerFile(name: string, headers: HeaderFields = {}): ControlAnswer {
  let files: ReadonlyMap<string, PageFile>;
  try {
    files = filesIn(folder);
  } catch {
    return answerJson(503, { error: 'The page is not built. Run npm run build.' });
  }
  const file = files.get(name);
  if (!file)
    return answerJson(404, { error: 'The page has no such file. Reload it: the server may have another version.' });
  const usual = {
    // All other names contain the hash of their content.
    'Cache-Control': name === 'index.html' ? 'no-cache' : 'public, max-age=31536000, immutable',
    ETag: file.etag,
    Vary: 'Accept, Accept-Encoding',
    'Content-Security-Policy': policy,
    'Referrer-Policy': 'no-referrer',
    'Cross-Origin-Opener-Policy': 'same-origin',
    'Cross-Origin-Resource-Policy': 'same-origin',
  };
  const { contentType, etag } = file;
  if (headers['if-none-match'] === etag) return { status: 304, contentType, body: '', headers: usual };
  const encoding = encodingOf(headers['accept-encoding']);
  const body = encoding === undefined ? gunzipSync(file.gzip) : file[encoding];
  return { status: 200, contentType, body, headers: { ...usual, ...(encoding && { 'Content-Encoding': encoding }) } };
}

function readFiles(): ReadonlyMap<string, PageFile> {
  const manifest: { readonly files: readonly (BuiltFile & { readonly name: string })[] } = JSON.parse(
    readPackageFile(`${folder}/manifest.json`).toString(),
  );
  return new Map(
    manifest.files.map(({ name, contentType, etag }) => [
      name,
      {
        contentType,
        etag,
        br: readPackageFile(`${folder}/${name}.br`),
        gzip: readPackageFile(`${folder}/${name}.gz`),
      },
    ]),
  );
}

/** Browsers offer br only over HTTPS and on localhost. */
function encodingOf(accepted = ''): 'br' | 'gzip' | undefined {
  const offered = accepted.split(',').map((one) => one.trim());
  return (['br', 'gzip'] as const).find((one) =>
    offered.some((offer) => offer === one || (offer.startsWith(`${one};`) && !/;\s*q=0(?:\.0*)?$/.test(offer))),
  );
}
