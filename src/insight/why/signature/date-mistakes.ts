import type { SigningMistake } from './signed-text.js';

const otherFormat = {
  cause: 'date-format',
  text: 'The date was signed in a different format than sent.',
  advice: 'Sign the header value exactly as sent.',
} as const;

const msPerHour = 3_600_000;

/** The time zones that a client may be in, but GMT. Unit: hours. */
const zones = Array.from({ length: 27 }, (_, index) => index - 12).filter((hours) => hours !== 0);

/** The mistakes with the form of the date: other formats, and the time of another zone. */
export const dateMistakes: readonly SigningMistake[] = [
  { ...otherFormat, apply: written((date) => date.toISOString()) },
  ...[
    (date: Date) => date.toISOString().replace(/\.\d+/, ''),
    (date: Date) => date.toUTCString().replace('GMT', '+0000'),
    (date: Date) => date.toUTCString().replace('GMT', 'UTC'),
    (date: Date) => String(date.getTime() / 1000),
    (date: Date) => String(date.getTime()),
  ].map((write): SigningMistake => ({ ...otherFormat, isAlone: true, apply: written(write) })),
  ...zones.map(
    (hours): SigningMistake => ({
      cause: 'date-zone',
      text: `The signed date is ${Math.abs(hours)} ${Math.abs(hours) === 1 ? 'hour' : 'hours'} ${hours < 0 ? 'before' : 'after'} the one that was sent, as in another time zone.`,
      advice: 'Sign the header value exactly as sent, in GMT.',
      isAlone: true,
      apply: written((date) => new Date(date.getTime() + hours * msPerHour).toUTCString()),
    }),
  ),
];

/** Returns how a text changes if its date is written in another way. */
function written(write: (date: Date) => string): SigningMistake['apply'] {
  return (right) => {
    const at = Date.parse(right.date ?? '');
    return Number.isNaN(at) ? undefined : { ...right, date: write(new Date(at)) };
  };
}
