import { Empty } from '../parts/empty.js';

/** The tab Requests. */
export default function RequestsTab() {
  return <Empty title="Requests" />;
}
