import { hasJournal, live } from '../model/live.js';

/** Whether the page follows the server: a dot with a word, in the bar. */
export function ConnectionMark() {
  const { state, reason = '' } = live.value;
  const words = {
    connected: hasJournal.value
      ? ['Live', 'The page follows the programs']
      : ['Partly live', 'The server keeps no journal: the page follows tables and states, but not requests and rows'],
    off: ['Not live', reason],
    retrying: ['Retrying', 'The server does not answer. The page tries to reach it'],
    connecting: ['Connecting', 'The page connects to the server'],
  };
  const [word, title] = words[state];
  return (
    <span class={state === 'connected' ? 'mark good' : 'mark'} title={title}>
      <span aria-hidden="true">● {word}</span>
      <span class="unseen" role="status">
        {title}
      </span>
    </span>
  );
}
