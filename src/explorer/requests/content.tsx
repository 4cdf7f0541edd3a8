import type { ComponentChildren } from 'preact';
import { indentJson } from '../base/readable.js';
import { showError } from '../model/notices.js';
import { copyText } from '../parts/copy.js';
import { IconButton } from '../parts/icon.js';
import { countOf, Facts } from '../parts/list.js';

/** A body as it is easiest to read, and the headers. */
export function Content(props: {
  readonly title: string;
  readonly headers?: readonly { readonly name: string; readonly value: string }[] | undefined;
  readonly body?: string | undefined;
  /** Beside the title. */
  readonly children?: ComponentChildren;
}) {
  const { title, headers = [], body = '', children } = props;
  return (
    <section class="strings" aria-label={title}>
      <header class="line">
        <h3>{title}</h3>
        {children}
        <span class="space" />
        {body !== '' && (
          <IconButton icon="copy" label={`Copy the body: ${title}`} onClick={() => copyText(body).catch(showError)} />
        )}
      </header>
      {body !== '' && (
        <pre>{readable(body).map((line) => (httpLine.test(line) ? <b>{`${line}\n`}</b> : `${line}\n`))}</pre>
      )}
      {headers.length > 0 && (
        <details>
          <summary>{countOf(headers.length, 'header')}</summary>
          <Facts facts={headers.map(({ name, value }) => [name, <code key={name}>{value}</code>])} />
        </details>
      )}
    </section>
  );
}

/** Matches the first line of a request or an answer. */
const httpLine = /^(?:[A-Z]+ \S+ HTTP\/1\.1|HTTP\/1\.1 \d{3})/;

/** Matches the lines of a transaction that say nothing about its parts. */
const envelope =
  /^(?:--\S*|Content-Transfer-Encoding: binary|Content-Type: (?:application\/http|multipart\/mixed).*)$/i;

/** Returns the lines of a body: JSON with a line for each member, a transaction as its requests or answers. */
function readable(text: string): readonly string[] {
  if (/^\s*[{[]/.test(text)) return indentJson(text).split('\n');
  const lines = text.split(/\r?\n/);
  if (!text.startsWith('--')) return lines;
  return lines
    .filter((line) => !envelope.test(line))
    .filter((line, at, all) => line !== '' || (all[at - 1] ?? '') !== '')
    .flatMap((line) => (line.startsWith('{') ? indentJson(line).split('\n') : [line]));
}
