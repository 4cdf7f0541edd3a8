import type { EdmType } from '../../../protocol/values/edm.js';
import { shownValue, type Value } from '../../base/value.js';

/** Number of values that a fit looks at, and the most that a text gets in CSS pixels. (Our choice.) */
const [valuesMax, textMax] = [50, 320];

/** The least width. (Our choice.) */
const widthMin = 64;

/** The most that a name gets on its own. (Our choice.) */
const nameMax = 180;

/** The space at both sides of a text, the width of a mark of types, and that of the sign of a sort. */
const [padding, markWidth, sortWidth] = [18, 26, 12];

/**
 * Returns the width that a column needs for its name and its first values. Numbers, dates and GUIDs are never cut, as the rest of their
 * digits would seem to be another value. Unit: CSS pixels.
 */
export function fitWidth(
  name: string,
  types: readonly EdmType[],
  values: readonly Value[],
  measure: (text: string, font: CellFont) => number,
): number {
  const mark = types.length > 1 ? markWidth : 0;
  const needed = values.slice(0, valuesMax).map((value) => {
    const isCut = value.type === 'Edm.String';
    const width = measure(shownValue(value), isCode(value) ? 'code' : 'text') + padding + mark;
    return isCut ? Math.min(textMax, width) : width;
  });
  const head = Math.min(nameMax, measure(name, 'name') + padding + sortWidth) + types.length * markWidth;
  return Math.ceil(needed.reduce((most, width) => Math.max(most, width), Math.max(widthMin, Math.min(nameMax, head))));
}

/** Returns whether a cell shows a value with characters of one width. */
export function isCode({ type, text }: Value): boolean {
  return type !== 'Edm.String' && type !== 'Edm.Boolean' && text !== '';
}

/** The fonts of names, values with characters of one width, and other values, as `grid.css` has them. */
export type CellFont = 'name' | 'code' | 'text';
