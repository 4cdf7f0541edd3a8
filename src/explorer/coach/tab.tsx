import { Empty } from '../parts/empty.js';

/** The tab Coach. */
export default function CoachTab() {
  return <Empty title="Coach" />;
}
