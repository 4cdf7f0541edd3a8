import type { ComponentChildren } from 'preact';
import { showError } from '../model/notices.js';
import { copyText } from '../parts/copy.js';
import { IconButton } from '../parts/icon.js';

/** Names and values, without the absent ones. */
export function Facts({ facts }: { readonly facts: readonly (readonly [name: string, value: string | undefined])[] }) {
  return (
    <dl class="facts">
      {facts.map(
        ([name, value]) =>
          value && (
            <div key={name}>
              <dt>{name}</dt>
              <dd class="code">{value}</dd>
            </div>
          ),
      )}
    </dl>
  );
}

/** Headers, and a body as it is easiest to read. */
export function Content(props: {
  readonly title: string;
  readonly headers?: readonly { readonly name: string; readonly value: string }[] | undefined;
  readonly body?: string | undefined;
  /** Beside the title. */
  readonly children?: ComponentChildren;
}) {
  const { title, headers = [], body = '', children } = props;
  return (
    <section class="content" aria-label={title}>
      <header class="line">
        <h3>{title}</h3>
        {children}
        <span class="space" />
        {body !== '' && (
          <IconButton icon="copy" label={`Copy the body: ${title}`} onClick={() => copyText(body).catch(showError)} />
        )}
      </header>
      {headers.length > 0 && <Facts facts={headers.map(({ name, value }) => [name, value])} />}
      {body !== '' && <Body text={body} />}
    </section>
  );
}

/** A body: JSON with a line for each member, a transaction as its requests or answers. Its first lines of HTTP stand out. */
function Body({ text }: { readonly text: string }) {
  return <pre>{readable(text).map((line) => (httpLine.test(line) ? <b>{`${line}\n`}</b> : `${line}\n`))}</pre>;
}

/** Matches the first line of a request or an answer. */
const httpLine = /^(?:[A-Z]+ \S+ HTTP\/1\.1|HTTP\/1\.1 \d{3})/;

/** Matches the lines of a transaction that say nothing about its parts. */
const envelope =
  /^(?:--\S*|Content-Transfer-Encoding: binary|Content-Type: (?:application\/http|multipart\/mixed).*)$/i;

/** Returns the lines of a body. Digits stay as they are written. */
function readable(text: string): readonly string[] {
  if (/^\s*[{[]/.test(text)) return indent(text);
  const lines = text.split(/\r?\n/);
  if (!text.startsWith('--')) return lines;
  return lines
    .filter((line) => !envelope.test(line))
    .filter((line, at, all) => line !== '' || (all[at - 1] ?? '') !== '')
    .flatMap((line) => (line.startsWith('{') ? indent(line) : [line]));
}

/** Puts each member of a JSON text on a line, even if the text is cut. */
function indent(json: string): readonly string[] {
  const lines = [''];
  let depth = 0;
  const begin = (change: number) => {
    depth = Math.max(0, depth + change);
    lines.push('  '.repeat(depth));
  };
  for (const [token] of json.matchAll(/"(?:[^"\\]|\\.)*"?|[[\]{},:]|[^\s"[\]{},:]+/g)) {
    if (/^[\]}]/.test(token) && !/[[{]$/.test(lines.at(-1) ?? '')) begin(-1);
    else if (/^[\]}]/.test(token)) depth--;
    else if (/[[{]$/.test(lines.at(-1) ?? '')) begin(1);
    lines.push(`${lines.pop()}${token}${token === ':' ? ' ' : ''}`);
    if (token === ',') begin(0);
  }
  return lines;
}
