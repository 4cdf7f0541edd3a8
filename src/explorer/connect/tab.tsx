import { Empty } from '../parts/empty.js';

/** The tab Connect. */
export default function ConnectTab() {
  return <Empty title="Connect" />;
}
