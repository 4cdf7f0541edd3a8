import { markupUnitsMax, xmlElementsMax } from '../../protocol/limits.js';

/** A document whose texts are separate from its markup. */
export interface SeparatedDocument {
  /** The document with `0;` in place of its first text, `1;` of its second, and so on. */
  readonly markup: string;
  readonly texts: readonly SeparatedText[];
}

/** A text of a document, as it is written. */
export interface SeparatedText {
  readonly written: string;
  /** Whether it is the content of CDATA, where an ampersand is one. */
  readonly isCdata: boolean;
}

/** White space between elements. It stays, because it may be where no text may be. A longer one counts as text. */
const shortSpace = /^[ \t\r\n]{0,1024}$/;

/**
 * Separates a document's markup from its texts, because the parser is slow at text. Returns undefined if the markup cannot be
 * parsed fast: there is a document type, markup that does not end, or too much of it.
 *
 * Goes through the document once, and finds markup where the parser finds it: otherwise a text could hide markup.
 */
export function separateTexts(document: string): SeparatedDocument | undefined {
  const texts: SeparatedText[] = [];
  const separate = (written: string, isCdata: boolean) => `${texts.push({ written, isCdata }) - 1};`;
  let pieces = 0;
  let units = 0;
  const first = document.indexOf('<');
  let markup = first < 0 ? document : document.slice(0, first);
  for (let at = first; at >= 0; ) {
    const isCdata = document.startsWith(cdata, at);
    const end = isCdata ? endOfCdata(document, at + cdata.length) : endOfMarkup(document, at);
    if (end < 0) return undefined;
    pieces += 1;
    if (!isCdata) units += end - at;
    if (pieces > xmlElementsMax || units > markupUnitsMax) return undefined;
    markup += isCdata
      ? separate(document.slice(at + cdata.length, end - cdataEnd.length), true)
      : document.slice(at, end);
    const next = document.indexOf('<', end);
    const text = next < 0 ? document.slice(end) : document.slice(end, next);
    markup += shortSpace.test(text) ? text : separate(text, false);
    at = next;
  }
  return { markup, texts };
}

const comment = '<!--';
const cdata = '<![CDATA[';
const cdataEnd = ']]>';
const closingBracket = 0x5d;
const greaterThan = 0x3e;

/** Returns where the markup that starts at an index ends, after its last character. Below 0: it has no end, or is refused. */
function endOfMarkup(document: string, at: number): number {
  if (document.startsWith(comment, at)) return endOf(document, '-->', at + comment.length);
  if (document.startsWith('<!', at)) return -1;
  if (!document.startsWith('<?', at)) return endOutsideQuotes(document, '>', at + 1);
  // The validator finds the end of an instruction also in quotes, the parser does not. They must see the same document.
  const end = endOf(document, '?>', at + 2);
  return end === endOutsideQuotes(document, '?>', at + 2) ? end : -1;
}

/** Searches as far as markup may reach, because `indexOf` takes 40 milliseconds for 4 MiB of the first character. */
function endOf(document: string, last: string, from: number): number {
  const found = document.slice(from, from + markupUnitsMax).indexOf(last);
  return found < 0 ? -1 : from + found + last.length;
}

/** CDATA may be as long as the document. Its end is found fast also among brackets of either kind. */
function endOfCdata(document: string, from: number): number {
  for (let at = from + 2; at < document.length; ) {
    const unit = document.charCodeAt(at);
    if (unit === greaterThan && document.startsWith(cdataEnd, at - 2)) return at + 1;
    at += unit === closingBracket ? 1 : 3;
  }
  return -1;
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
