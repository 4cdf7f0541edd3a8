import { createHash, X509Certificate } from 'node:crypto';
import { mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { rootCertificates } from 'node:tls';
import { removeFile } from '../../change-file.js';

/** The variables that name a file of trusted certificates. All but the first replace the default roots. */
const bundleVariables = ['NODE_EXTRA_CA_CERTS', 'REQUESTS_CA_BUNDLE', 'CURL_CA_BUNDLE', 'SSL_CERT_FILE'] as const;

const javaOption = '-Djavax.net.ssl.trustStore=';

/** Trust stores for programs of any language, with the variables that name them. */
export interface TrustFiles {
  readonly variables: Readonly<Partial<Record<(typeof bundleVariables)[number] | 'JAVA_TOOL_OPTIONS', string>>>;
  dispose(): Promise<void>;
}

/**
 * Writes a temporary bundle for Node.js, Python, Go, .NET, Rust and curl, and a trust store for Java. Both contain the certificate in
 * the file `own`, the default roots, and the certificates that the environment already trusts.
 */
export async function writeTrustFiles(own: string, environment: NodeJS.ProcessEnv): Promise<TrustFiles> {
  const place = await mkdtemp(join(tmpdir(), 'tabularium-trust-'));
  const named = bundleVariables.flatMap((name) => environment[name] || []);
  const texts = [await readFile(own, 'utf8'), ...(await Promise.all(named.map(readOther)))];
  const certificates = [...new Set([...texts.flatMap(certificatesIn), ...rootCertificates.map((pem) => pem.trim())])];
  const bundle = join(place, 'trusted-certificates.pem');
  await writeFile(bundle, `${certificates.join('\n')}\n`);
  const store = join(place, 'trusted-certificates.jks');
  await writeFile(store, javaTrustStore(certificates));
  const variables = Object.fromEntries(bundleVariables.map((name) => [name, bundle]));
  const { JAVA_TOOL_OPTIONS: java } = environment;
  return {
    variables: { ...variables, ...javaVariable(java, store) },
    dispose: () => removeFile(place),
  };
}

/** Adds the trust store to the options of Java, unless they already name one. */
function javaVariable(options: string | undefined, store: string): { JAVA_TOOL_OPTIONS?: string } {
  if (options?.includes(javaOption)) return {};
  const option = /\s/.test(store) ? `"${javaOption}${store}"` : `${javaOption}${store}`;
  return { JAVA_TOOL_OPTIONS: options ? `${options} ${option}` : option };
}

/** Returns the text of a file named in the environment; empty if it cannot be read, such as a folder. */
function readOther(file: string): Promise<string> {
  return readFile(file, 'utf8').catch(() => '');
}

function certificatesIn(text: string): readonly string[] {
  return text.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? [];
}

/**
 * Encodes a Java trust store in the format JKS, which Java reads without a password: magic number, version 2, one entry per
 * certificate, and a digest salted with the default password.
 */
function javaTrustStore(certificates: readonly string[]): Buffer {
  const entries = certificates.flatMap((pem, at) => {
    const raw = rawOf(pem);
    return raw ? [uint(2, 4), text(`trusted-${at}`), uint(Date.now(), 8), text('X.509'), uint(raw.length, 4), raw] : [];
  });
  const body = Buffer.concat([uint(0xfeedfeed, 4), uint(2, 4), uint(entries.length / 6, 4), ...entries]);
  const password = Buffer.from('changeit', 'utf16le').swap16();
  return Buffer.concat([body, createHash('sha1').update(password).update('Mighty Aphrodite').update(body).digest()]);
}

/** Returns the bytes of a certificate; undefined if it is malformed. */
function rawOf(pem: string): Buffer | undefined {
  try {
    return new X509Certificate(pem).raw;
  } catch {
    return undefined;
  }
}

function uint(value: number, bytes: number): Buffer {
  return Buffer.from(value.toString(16).padStart(bytes * 2, '0'), 'hex');
}

/** Encodes a string with a length prefix. */
function text(value: string): Buffer {
  return Buffer.concat([uint(value.length, 2), Buffer.from(value)]);
}
