import { markupUnitsMax, xmlElementsMax } from '../../protocol/limits.js';

/** A document whose texts are separate from its markup. */
export interface SeparatedDocument {
  /** The document with `0;` in place of its first text, `1;` of its second, and so on. */
  readonly markup: string;
  readonly texts: readonly string[];
}

/** White space between elements. It stays, because it may be where no text may be. A longer one counts as text. */
const shortSpace = /^[ \t\r\n]{0,1024}$/;

/**
 * Separates a document's markup from its texts, because the parser is slow at text. Returns undefined if the markup cannot be
 * parsed fast: there is a document type, markup that does not end, or too much of it. The content of CDATA costs nothing, so it
 * stays.
 *
 * Goes through the document once, and finds markup where the parser finds it: otherwise a text could hide markup.
 */
export function separateTexts(document: string): SeparatedDocument | undefined {
  const texts: string[] = [];
  let pieces = 0;
  let units = 0;
  const first = document.indexOf('<');
  let markup = first < 0 ? document : document.slice(0, first);
  for (let at = first; at >= 0; ) {
    const end = endOfMarkup(document, at);
    if (end < 0) return undefined;
    pieces += 1;
    if (!document.startsWith(cdata, at)) units += end - at;
    if (pieces > xmlElementsMax || units > markupUnitsMax) return undefined;
    const next = document.indexOf('<', end);
    const text = next < 0 ? document.slice(end) : document.slice(end, next);
    markup += document.slice(at, end) + (shortSpace.test(text) ? text : `${texts.push(text) - 1};`);
    at = next;
  }
  return { markup, texts };
}

const comment = '<!--';
const cdata = '<![CDATA[';

/** Returns where the markup that starts at an index ends, after its last character. Below 0: it has no end, or is refused. */
function endOfMarkup(document: string, at: number): number {
  if (document.startsWith(comment, at)) return endOf(document, '-->', at + comment.length);
  if (document.startsWith(cdata, at)) return endOf(document, ']]>', at + cdata.length);
  if (document.startsWith('<!', at)) return -1;
  if (!document.startsWith('<?', at)) return endOutsideQuotes(document, '>', at + 1);
  // The validator finds the end of an instruction also in quotes, the parser does not. They must see the same document.
  const end = endOf(document, '?>', at + 2);
  return end === endOutsideQuotes(document, '?>', at + 2) ? end : -1;
}

function endOf(document: string, last: string, from: number): number {
  const found = document.indexOf(last, from);
  return found < 0 ? -1 : found + last.length;
}

function endOutsideQuotes(document: string, last: '>' | '?>', from: number): number {
  const quoteOrBracket = /["'>]/g;
  quoteOrBracket.lastIndex = from;
  for (let found = quoteOrBracket.exec(document); found !== null; found = quoteOrBracket.exec(document)) {
    const [character] = found;
    const after = found.index + 1;
    // It is too much already, wherever it ends.
    if (after - from > markupUnitsMax) return -1;
    if (character !== '>') {
      const closing = endOf(document, character, after);
      if (closing < 0) return -1;
      quoteOrBracket.lastIndex = closing;
    } else if (document.endsWith(last, after)) return after;
  }
  return -1;
}
