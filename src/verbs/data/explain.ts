import type { ExplainedFilter, RefusedFilter } from '../../insight/why/filter/explained-filter.js';
import { described, text } from '../../schema.js';
import { verb } from '../verb.js';
import { shownLine } from './shown-line.js';

export const explain = verb({
  name: 'explain',
  does: 'Explain what a $filter costs in the cloud, or why it is rejected.',
  notes: 'The command needs no server.',
  // A filter may be longer than a URL.
  http: 'POST /explain',
  changes: 'nothing',
  example: `explain "RowKey eq 'r'"`,
  isLocal: true,
  takes: {
    filter: text('The $filter. An empty one is none.', { value: 'FILTER', example: 'Size gt 1' }),
  },
  words: ['filter'],
  answers: described<ExplainedFilter>(
    'ExplainedFilter',
    'What a filter costs in the cloud, or why the service rejects it.',
    'insight/why/filter/explained-filter',
  ),
  async run(_server, { filter }) {
    const [{ judgeFilter }, { describeError }] = await Promise.all([
      import('../../insight/why/filter/judge-filter.js'),
      import('../../dialects/storage/describe-error.js'),
    ]);
    return judgeFilter(filter, describeError);
  },
  lines(judged, { filter }) {
    const lines = judged.isRefused ? refusalLines(filter, judged) : [`${judged.class}: ${judged.text}`];
    return judged.advice === undefined ? lines : [...lines, judged.advice];
  },
  exitCode: ({ isRefused }) => (isRefused ? 1 : 0),
});

function refusalLines(
  filter: string,
  { status, code, message, text, at, length = 1 }: RefusedFilter,
): readonly string[] {
  const { line, column } = shownLine(filter, at ?? 0);
  const mark = '^'.repeat(Math.min(length, line.length + 1 - column));
  return [
    `${status} ${code}: ${message.split('\n')[0] ?? ''}`,
    ...(at === undefined ? [] : [`  ${line}`, `  ${' '.repeat(column)}${mark}`]),
    text,
  ];
}
