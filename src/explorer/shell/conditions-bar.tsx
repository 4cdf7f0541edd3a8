import { Icon } from '../parts/icon.js';
import { activeFaults, clock, isClockChanged } from './conditions.js';
import { areKeysRefused, readAsFromNotice, reader } from './read-as.js';
import { hrefOf } from './route.js';

/** What is not as usual, on every tab: fault rules that act, a clock that is not the real one, and who reads the tables. */
export function ConditionsBar() {
  const count = activeFaults.value.length;
  const isAsIdentity = reader.value !== undefined;
  if (count === 0 && !isClockChanged.value && !isAsIdentity) return null;
  return (
    <aside class="conditions" aria-label="Not as usual">
      {count > 0 && (
        <span>
          <Icon name="warning" />
          {count === 1 ? '1 fault rule is active' : `${count} fault rules are active`}
        </span>
      )}
      {isClockChanged.value && clock.value && (
        <span>
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
      {isAsIdentity && !areKeysRefused.value && (
        <button type="button" onClick={() => readAsFromNotice(undefined)}>
          Read with the account key
        </button>
      )}
    </aside>
  );
}
