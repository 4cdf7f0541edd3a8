import type { Resource } from '../address/resource.js';
import type { CorsRule } from '../protocol/service-properties.js';
import type { Eventual } from '../store/store.js';
import { checkAddressed, checkHead, findAddress } from './address.js';
import { authenticate } from './authenticate.js';
import { answerPreflight, noRules, readRules, settleRules } from './cors.js';
import { type FaultMarks, noMarks } from './gate.js';
import { type Outcome, refuse, tell } from './outcome.js';
import { checkReadOnly, checkSignedRange, readResource, routeTo } from './route.js';
import { type Done, load, run, runInGate } from './run.js';
import type { Service } from './service.js';
import type { Addressed, Received, Routed } from './stages.js';

/**
 * The story of one request, from its head to its outcome. The order of the statements is the order in which the service makes
 * its checks. Source: checks-order 2.
 *
 * Whatever is thrown on the way ends the story, told from the stage that was reached. It rejects only if a dialect fails while
 * it writes an error. What is known at once is not awaited, because each wait is another turn of the queue of microtasks.
 */
export async function serve(service: Service, received: Received): Promise<Outcome> {
  let addressed: Addressed | undefined;
  let rules: Eventual<readonly CorsRule[]> = noRules;
  let resource: Resource | undefined;
  let routed: Routed | undefined;
  let bytes: Buffer | undefined;
  let faults: FaultMarks | undefined;
  let done: Done | undefined;
  try {
    service.hosts.check(received.headers);
    checkHead(service, received);

    const place = findAddress(service, received);
    addressed = place instanceof Promise ? await place : place;
    checkAddressed(service, addressed);

    rules = readRules(service, addressed);
    if (received.method === 'OPTIONS' && service.dialect.requests.hasCors) {
      done = { answer: answerPreflight(received, await rules), written: undefined };
    } else {
      const sender = authenticate(service, addressed);
      const authenticated = sender instanceof Promise ? await sender : sender;

      const found = readResource(service, authenticated);
      resource = found instanceof Promise ? await found : found;
      routed = routeTo(service, authenticated, received, resource, addressed.address.query);
      if (addressed.address.secondary) checkReadOnly(service, routed);
      const { identity } = authenticated;
      if (identity.kind === 'table-signature') checkSignedRange(service, identity);

      if (routed.row.takes !== undefined) bytes = await received.readBody();
      const body = load(service, routed, bytes);
      const loaded = body instanceof Promise ? await body : body;

      if (service.gate?.isActive) faults = noMarks();
      const running = faults ? runInGate(service, loaded, faults) : run(service, loaded);
      done = running instanceof Promise ? await running : running;
    }

    if (rules instanceof Promise) rules = await settleRules(service, addressed, rules);
    const told = tell(service, { received, addressed, rules, resource, routed, bytes, done }, rules, faults);
    return told instanceof Promise ? await told : told;
  } catch (error) {
    return refuse(service, { received, addressed, rules, resource, routed, bytes, done }, error, faults);
  }
}
