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
  if (isPlain(shortest, value)) return shortest.includes('.') ? shortest : `${shortest}.0`;
  let digits = 15;
  let scientific = value.toExponential(14);
  if (Number(scientific) !== value) {
    digits = 17;
    // The shortest form rounds halves to even, but may be shorter; the form of 17 digits rounds them up.
    const shortest = value.toExponential();
    const exact = value.toExponential(16);
    scientific = shortest.length === exact.length ? shortest : exact;
  }
  const [mantissa = '', power = '0'] = scientific.split('e');
  const exponent = Number(power);
  const sign = mantissa.startsWith('-') ? '-' : '';
  const figures = mantissa.replace('-', '').replace('.', '').replace(/0+$/, '');
  return sign + (exponent <= -5 || exponent >= digits ? withExponent(figures, exponent) : plain(figures, exponent));
}

/**
 * Whether JavaScript's shortest text is the service's: up to 15 digits it is the form of 15 digits, and here neither
 * has an exponent. Most numbers are so.
 */
function isPlain(shortest: string, value: number): boolean {
  const magnitude = Math.abs(value);
  return magnitude >= 1e-4 && magnitude < 1e15 && shortest.length <= 15;
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
