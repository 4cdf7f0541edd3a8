/** A task that a person gives to an agent by its name. */
export interface AgentPrompt {
  readonly name: string;
  readonly description: string;
  readonly text: string;
}

/** The tasks that need several tools. */
export const agentPrompts: readonly AgentPrompt[] = [
  {
    name: 'fix-last-rejection',
    description: 'Find out why the last request was rejected, and fix the code that sent it.',
    text:
      'Call why to learn why the table service rejected the last request, and request_show with its ID for what was sent. ' +
      'Find the code that sent it, fix it, run it again, and call request_list with status rejected to check that it is accepted.',
  },
  {
    name: 'review-table-access',
    description: 'Find the requests that will be slow or costly in Azure, and make them cheaper.',
    text:
      'Call mark with the name of this review, run the tests, then call coach_show. For each finding, find the code, call explain ' +
      'with a cheaper $filter until its class is good, change the code, and run the tests again.',
  },
];
