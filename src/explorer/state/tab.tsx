import { Empty } from '../parts/empty.js';

/** The tab State. */
export default function StateTab() {
  return <Empty title="State" />;
}
