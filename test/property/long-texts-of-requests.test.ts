import fc from 'fast-check';
import { expect, it } from 'vitest';
import { runs } from '../support/arbitrary/property-runs.js';
import { RawConnection } from '../support/clients/raw-connection.js';
import { type LongText, longText, writeLongText } from '../support/hostile/long-texts.js';
import { type TextPlace, textPlaces } from '../support/hostile/text-places.js';
import { ProcessorLimit } from '../support/measures/processor-limit.js';
import { describeService } from '../support/servers/describe-service.js';
import type { RunningService } from '../support/servers/start-service.js';

/** Time that a request may take before its growth is measured. Unit: milliseconds of processor time. */
const calmMs = 40;

/** Time that a unit of a text may take: ten times what any takes, and less than an error with its stack. Unit: milliseconds. */
const unitMs = 0.001;

/** The limit of a place and its up to eight requests. Unit: milliseconds of processor time. */
const placeMs = 10_000;

/** Texts that took long before they had a bound. */
const slowOnce: readonly (readonly [place: string, repeated: string])[] = [
  ['Accept of a part', ','],
  ['the option $format', ','],
  ['a string of an entity', 'é'],
  ['members of an entity', '"a":1,'],
  ['a value of Atom', '&lt;'],
  ['headers by number of GET /Rows()?$top=1 with Authorization', 'x'],
];

describeService('A request with a long text', ({ client, service }) => {
  it('takes processor time that grows with its length, and never faster', async () => {
    await using limit = new ProcessorLimit(placeMs);
    await client.post('/Tables', { TableName: 'Rows' });
    await client.put("/Rows(PartitionKey='p',RowKey='r')", { A: 1 });
    const grown = fc.asyncProperty(fc.constantFrom(...textPlaces), longText, async (place, text) => {
      limit.watch(`${place.name} with ${JSON.stringify(text)}`);
      const [part, whole] = await growthOf(service(), place, text);
      limit.watch(undefined);
      const most = calmMs + Math.min(7 * part, place.unitsMax * unitMs);
      expect(whole, `${place.name}: ${part} ms for a quarter of the text`).toBeLessThanOrEqual(most);
    });
    const examples = slowOnce.map(([name, repeated]): [TextPlace, LongText] => {
      const place = textPlaces.find((one) => one.name === name);
      if (!place) throw new Error(`there is no place ${name}`);
      return [place, { start: '', repeated, end: '' }];
    });
    await fc.assert(grown, { numRuns: runs(120), endOnFailure: true, examples });
  });
});

/** Returns the processor time of two requests: with a quarter of a text, and with all of it. Unit: milliseconds. */
async function growthOf(service: RunningService, place: TextPlace, text: LongText): Promise<readonly [number, number]> {
  const whole = await spend(service, place.write(service, writeLongText(text, place.unitsMax)));
  if (whole <= calmMs) return [0, whole];
  // Other work of the process counts, too, such as a collection that some tries have and others have not. So the least of the whole
  // text is compared with the most of its quarter.
  const triesOf = async (units: number) => {
    const request = place.write(service, writeLongText(text, units));
    const tries = [];
    for (let attempt = 0; attempt < 3; attempt++) tries.push(await spend(service, request));
    return tries;
  };
  return [Math.max(...(await triesOf(place.unitsMax / 4))), Math.min(whole, ...(await triesOf(place.unitsMax)))];
}

/** Sends a request on a connection of its own. Returns the processor time until its answer. Unit: milliseconds. */
async function spend(service: RunningService, request: Buffer): Promise<number> {
  const connection = await RawConnection.open(service);
  const before = process.cpuUsage();
  await connection.write(request);
  const answer = await connection.answer();
  const { user, system } = process.cpuUsage(before);
  connection.destroy();
  expect(
    answer === undefined || answer.status === 501 || answer.status < 500,
    JSON.stringify(answer)?.slice(0, 500),
  ).toBe(true);
  return (user + system) / 1000;
}
