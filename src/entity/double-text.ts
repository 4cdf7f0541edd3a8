/** The code of `0`. The sign and the point, which may stand before the first digit, have smaller codes. */
const zero = 48;

/**
 * A finite double as the service prints it: 15 significant digits if they parse back to the same double, else 17, never
 * the shortest 16; always with a fraction or an exponent, so that readers can tell it from an integer.
 * Halfway between two texts of 17 digits the even one is taken, as in the recorded `123456789012345.12`.
 *
 * Source: data model, "Double output rule".
 */
export function writeDouble(value: number): string {
  if (Object.is(value, -0)) return '-0.0';
  if (value === 0) return '0.0';
  const shortest = String(value);
  const length = significantDigits(shortest);
  // JavaScript's shortest text has as many digits as it needs: up to 15 it is the form of 15, and 17 are all there are.
  if (isPlain(value) && length !== 16) return shortest.includes('.') ? shortest : `${shortest}.0`;
  const digits = length <= 15 ? 15 : 17;
  // JavaScript's shortest form takes the even one of two texts that are equally near. Its other form takes the larger.
  const scientific = value.toExponential(length === 17 ? undefined : digits - 1);
  const [mantissa = '', power = '0'] = scientific.split('e');
  const exponent = Number(power);
  const sign = mantissa.startsWith('-') ? '-' : '';
  const rounded = mantissa.replace('-', '').replace('.', '');
  const figures = (length === 16 && isHalfway(value) ? evenOf(rounded) : rounded).replace(/0+$/, '');
  return sign + (exponent <= -5 || exponent >= digits ? withExponent(figures, exponent) : plain(figures, exponent));
}

/** Whether neither JavaScript nor the service writes a number of this magnitude with an exponent. */
function isPlain(value: number): boolean {
  const magnitude = Math.abs(value);
  return magnitude >= 1e-4 && magnitude < 1e15;
}

/** The most binary places of a double that has 18 digits, the last of them a 5: 5 to the 26th has 19 digits. */
const halfwayPlacesMax = 25;

/** As many digits after the first as JavaScript writes. */
const fractionDigitsMax = 100;

/** Whether a double is exactly halfway between two texts of 17 digits: it has an 18th digit, 5, and no more. */
function isHalfway(value: number): boolean {
  // Nearly all doubles have more binary places. Scaling by a power of two is exact.
  if (!Number.isInteger(value * 2 ** halfwayPlacesMax)) return false;
  const [mantissa = ''] = value.toExponential(fractionDigitsMax).split('e');
  return /^-?\d\.\d{16}50*$/.test(mantissa);
}

/** Of digits that were rounded up from halfway, and those before, the ones with an even last digit. */
function evenOf(digits: string): string {
  const last = digits.charCodeAt(digits.length - 1) - zero;
  return last % 2 === 0 ? digits : digits.slice(0, -1) + (last - 1);
}

/** How many digits a number's text has, from the first that is no zero to the last that is none. */
function significantDigits(text: string): number {
  const exponentAt = text.indexOf('e');
  let end = exponentAt < 0 ? text.length : exponentAt;
  while (text.charCodeAt(end - 1) === zero) end--;
  let first = 0;
  while (text.charCodeAt(first) <= zero) first++;
  const pointAt = text.indexOf('.', first);
  return end - first - (pointAt < 0 ? 0 : 1);
}

function withExponent(figures: string, exponent: number): string {
  const fraction = figures.length > 1 ? `.${figures.slice(1)}` : '';
  const power = String(Math.abs(exponent)).padStart(2, '0');
  return `${figures[0]}${fraction}E${exponent < 0 ? '-' : '+'}${power}`;
}

function plain(figures: string, exponent: number): string {
  if (exponent < 0) return `0.${'0'.repeat(-exponent - 1)}${figures}`;
  const whole = figures.slice(0, exponent + 1).padEnd(exponent + 1, '0');
  return `${whole}.${figures.slice(exponent + 1) || '0'}`;
}
