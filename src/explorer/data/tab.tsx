import { Empty } from '../parts/empty.js';

/** The tab Data. */
export default function DataTab() {
  return <Empty title="Data" />;
}
