import type { EnvelopeStyle, SentBatch, SentPart } from '../arbitrary/arbitrary-envelope.js';

/** A written batch. */
export interface WrittenBatch {
  readonly contentType: string;
  readonly body: string;
}

/** Writes a batch in its style. */
export function writeEnvelope({ kind, parts, style }: SentBatch): WrittenBatch {
  const { end, outer, inner, writeType, openEnd, cutEnd, preamble } = style;
  const close = `--${outer}${openEnd ? '' : '--'}${cutEnd ? '' : end}`;
  const contentType = typeOf(outer, writeType[0]);
  if (kind === 'query') {
    return {
      contentType,
      body: `${preamble}--${outer}${end}${parts.map((part) => writePart(part, style)).join('')}${close}`,
    };
  }
  const head = `${nameOf('Content-Type', style)}: ${typeOf(inner, writeType[1])}${end}`;
  const before = end.repeat(1 + style.blanksBeforeChangeSet);
  const delimited = parts.map((part) => `--${inner}${end}${writePart(part, style)}`).join('');
  const changeSet = `${head}${before}${delimited}--${inner}--${end}${end.repeat(style.blanksBehindChangeSet)}`;
  return { contentType, body: `${preamble}--${outer}${end}${changeSet}${close}` };
}

function typeOf(boundary: string, style: EnvelopeStyle['writeType'][number]): string {
  switch (style) {
    case 'plain':
      return `multipart/mixed; boundary=${boundary}`;
    case 'tight':
      return `multipart/mixed;boundary=${boundary}`;
    case 'quoted':
      return `multipart/mixed; boundary="${boundary}"`;
    case 'charset':
      return `multipart/mixed;charset="utf-8";boundary=${boundary}`;
  }
}

function nameOf(name: string, { nameCase }: EnvelopeStyle): string {
  return nameCase === 'usual' ? name : nameCase === 'lower' ? name.toLowerCase() : name.toUpperCase();
}

function writePart({ method, url, headers, body, contentId, blanks }: SentPart, style: EnvelopeStyle): string {
  const { end, glued, encoding } = style;
  const line = (name: string, value: string) => `${nameOf(name, style)}: ${value}${end}`;
  let text = line('Content-Type', 'application/http');
  if (encoding) text += line('Content-Transfer-Encoding', 'binary');
  if (contentId.place === 'part') text += line('Content-ID', contentId.value);
  text += end.repeat(1 + blanks[0]);
  text += `${method} ${url} HTTP/1.1${end}`;
  if (contentId.place === 'request') text += line('Content-ID', contentId.value);
  for (const [name, value] of headers) text += line(name, value);
  text += end.repeat(1 + blanks[1]);
  if (body !== '' && glued) return text + body;
  return text + body + end.repeat(1 + blanks[2]);
}
