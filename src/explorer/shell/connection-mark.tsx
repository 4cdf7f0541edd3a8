import { hasJournal, live } from '../model/live.js';

/** Whether the page follows the server: a dot with a word, in the bar. */
export function ConnectionMark() {
  const { state, reason = '' } = live.value;
  const [word, title] =
    state === 'connected'
      ? hasJournal.value
        ? ['Live', 'The page follows the programs']
        : ['Partly live', 'The server keeps no journal: the page follows tables and states, but not requests and rows']
      : state === 'off'
        ? ['Not live', reason]
        : state === 'retrying'
          ? ['Retrying', 'The server does not answer. The page tries to reach it']
          : ['Connecting', 'The page connects to the server'];
  return (
    <span class={`connection ${state}`} title={title}>
      <span class="dot" aria-hidden="true" />
      <span aria-hidden="true">{word}</span>
      <span class="unseen" role="status">
        {title}
      </span>
    </span>
  );
}
