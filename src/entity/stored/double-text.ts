/** The character code of `0`. The codes of `-` and `.` are smaller. */
const zero = 48;

/**
 * Returns the text of a finite double as the service prints it. It has 15 significant digits if these parse back to the
 * same double, otherwise 17, never 16. It always has a fraction or an exponent, to distinguish it from an integer.
 * A double exactly halfway between two texts of 17 digits gets the even one, as in the recorded `123456789012345.12`.
 *
 * Source: data-model 3.2.
 */
export function writeDouble(value: number): string {
  if (value === 0) return Object.is(value, -0) ? '-0.0' : '0.0';
  const shortest = String(value);
  const length = significantDigits(shortest);
  // JavaScript prints the shortest text. With up to 15 digits, it is the form with 15. The maximum is 17 digits.
  // Most doubles end here, ten times as fast as below.
  if (isPlain(value)) {
    if (length !== 16) return shortest.includes('.') ? shortest : `${shortest}.0`;
    if (!isHalfway(value)) return withoutFinalZeros(value.toPrecision(17));
  }
  const digits = length <= 15 ? 15 : 17;
  // Of two equally near texts, JavaScript's shortest form is the even one. With a digit count, it is the larger one.
  const scientific = value.toExponential(length === 17 ? undefined : digits - 1);
  const [mantissa = '', power = '0'] = scientific.split('e');
  const exponent = Number(power);
  const sign = mantissa.startsWith('-') ? '-' : '';
  const rounded = mantissa.replace('-', '').replace('.', '');
  const figures = (length === 16 && isHalfway(value) ? evenOf(rounded) : rounded).replace(/0+$/, '');
  return sign + (exponent <= -5 || exponent >= digits ? withExponent(figures, exponent) : plain(figures, exponent));
}

/** Returns whether both JavaScript and the service write a number of this magnitude without an exponent. */
function isPlain(value: number): boolean {
  const magnitude = Math.abs(value);
  return magnitude >= 1e-4 && magnitude < 1e15;
}

/** Maximum number of binary places of a double with 18 digits that end in 5. The power 5^26 already has 19 digits. */
const halfwayPlacesMax = 25;

/** Maximum number of fraction digits that `toExponential` accepts. */
const fractionDigitsMax = 100;

/** Returns whether a double is exactly halfway between two texts of 17 digits: its 18th digit is 5 and its last. */
function isHalfway(value: number): boolean {
  // Nearly all doubles have more binary places. Scaling by a power of two is exact.
  if (!Number.isInteger(value * 2 ** halfwayPlacesMax)) return false;
  const [mantissa = ''] = value.toExponential(fractionDigitsMax).split('e');
  return /^-?\d\.\d{16}50*$/.test(mantissa);
}

/** Returns digits that were rounded up from halfway, lowered by one if the last digit is odd. */
function evenOf(digits: string): string {
  const last = digits.charCodeAt(digits.length - 1) - zero;
  return last % 2 === 0 ? digits : digits.slice(0, -1) + (last - 1);
}

/** Returns the number of digits in a number's text, from the first nonzero digit to the last. */
function significantDigits(text: string): number {
  const exponentAt = text.indexOf('e');
  let end = exponentAt < 0 ? text.length : exponentAt;
  while (text.charCodeAt(end - 1) === zero) end--;
  let first = 0;
  while (text.charCodeAt(first) <= zero) first++;
  const pointAt = text.indexOf('.', first);
  return end - first - (pointAt < 0 ? 0 : 1);
}

/** Returns a number with a fraction that is not zero, without the zeros at its end. */
function withoutFinalZeros(text: string): string {
  let end = text.length;
  while (text.charCodeAt(end - 1) === zero) end--;
  return text.slice(0, end);
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
