import type { ComponentChildren } from 'preact';
import { activeFaults, clock, isClockChanged, isMemoryFull } from '../model/conditions.js';
import { unsaved } from '../model/drafts.js';
import { areKeysRejected, readAsFromNotice, reader } from '../model/identities.js';
import { retryNow } from '../model/live.js';
import { hrefOf, route } from '../model/route.js';
import { account } from '../model/session.js';
import { Icon } from '../parts/icon.js';
import { Unsaved } from '../parts/unsaved.js';
import { lostSince } from '../wire/connection.js';

/** Unusual conditions, on every tab: a server that does not answer, text that is not saved, active fault rules, a changed clock, and an identity that reads the tables. */
export function ConditionsBar() {
  const count = activeFaults.value.length;
  const { frozen, now } = clock.value ?? {};
  // The line below the rows of a table has them, where they move nothing.
  const isUnsaved = unsaved.value.length > 0 && !(account.value && route.value.tab === 'data' && route.value.item);
  const shown: ComponentChildren[] = [
    isMemoryFull.value &&
      'The memory of the server is full: writes are rejected. Delete tables or entities, or keep the data in a folder with --location',
    lostSince.value !== undefined && (
      <>
        Not connected since {new Date(lostSince.value).toLocaleTimeString('en-GB')}: the server does not answer
        <button type="button" onClick={retryNow}>
          Try now
        </button>
      </>
    ),
    isUnsaved && <Unsaved />,
    count > 0 && (count === 1 ? '1 fault rule is active' : `${count} fault rules are active`),
    isClockChanged.value && (frozen ? `The clock is frozen at ${now}` : 'The clock is ahead of real time'),
    (count > 0 || isClockChanged.value) && <a href={hrefOf({ tab: 'state', item: undefined })}>Show</a>,
    reader.value !== undefined && `Tables are read as ${reader.value}`,
    reader.value !== undefined && !areKeysRejected.value && (
      <button type="button" onClick={() => readAsFromNotice(undefined)}>
        Read with the account key
      </button>
    ),
  ].filter(Boolean);
  if (shown.length === 0) return null;
  return (
    <aside class="conditions line warn" aria-label="Not as usual">
      <Icon name="warning" />
      {shown.map((one, at) => (
        <span class="pair" key={at}>
          {one}
        </span>
      ))}
    </aside>
  );
}
