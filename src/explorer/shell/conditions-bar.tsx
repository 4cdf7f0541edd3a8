import { activeFaults, clock, isClockChanged, isMemoryFull } from '../model/conditions.js';
import { unsaved } from '../model/drafts.js';
import { areKeysRejected, readAsFromNotice, reader } from '../model/identities.js';
import { retryNow } from '../model/live.js';
import { hrefOf, route } from '../model/route.js';
import { account } from '../model/session.js';
import { Icon } from '../parts/icon.js';
import { Unsaved } from '../parts/unsaved.js';
import { isConnected, lostSince } from '../wire/connection.js';

/** Unusual conditions, on every tab: a server that does not answer, text that is not saved, active fault rules, a changed clock, and an identity that reads the tables. */
export function ConditionsBar() {
  const count = activeFaults.value.length;
  const isAsIdentity = reader.value !== undefined;
  // The line below the rows of a table has them, where they move nothing.
  const isUnsaved = unsaved.value.length > 0 && !(account.value && route.value.tab === 'data' && route.value.item);
  const isUsual = count === 0 && !isClockChanged.value && !isMemoryFull.value && !isAsIdentity;
  if (isUsual && !isUnsaved && isConnected.value) return null;
  return (
    <aside class="conditions line warn" aria-label="Not as usual">
      {isMemoryFull.value && (
        <span class="pair">
          <Icon name="warning" />
          The memory of the server is full: writes are rejected. Delete tables or entities, or keep the data in a folder
          with --location
        </span>
      )}
      {lostSince.value !== undefined && (
        <span class="pair">
          <Icon name="error" />
          Not connected since {new Date(lostSince.value).toLocaleTimeString('en-GB')}: the server does not answer
          <button type="button" onClick={retryNow}>
            Try now
          </button>
        </span>
      )}
      {isUnsaved && <Unsaved />}
      {count > 0 && (
        <span class="pair">
          <Icon name="warning" />
          {count === 1 ? '1 fault rule is active' : `${count} fault rules are active`}
        </span>
      )}
      {isClockChanged.value && clock.value && (
        <span class="pair">
          <Icon name="warning" />
          {clock.value.frozen ? `The clock is frozen at ${clock.value.now}` : 'The clock is ahead of real time'}
        </span>
      )}
      {(count > 0 || isClockChanged.value) && <a href={hrefOf({ tab: 'state', item: undefined })}>Show</a>}
      {isAsIdentity && (
        <span>
          Tables are read as <b>{reader.value}</b>
        </span>
      )}
      {isAsIdentity && !areKeysRejected.value && (
        <button type="button" onClick={() => readAsFromNotice(undefined)}>
          Read with the account key
        </button>
      )}
    </aside>
  );
}
