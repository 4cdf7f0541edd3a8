/* The tab "state". */
import { useEffect } from 'preact/hooks';
import { BranchSection } from './branch-section.js';
import { ClockSection } from './clock-section.js';
import { DifferenceSection } from './difference-section.js';
import { FaultSection } from './fault-section.js';
import { isKnown, watchState } from './known.js';
import { ResetSection } from './reset-section.js';
import { SnapshotSection } from './snapshot-section.js';

/** The tab State: a clean, known state at will, and faults on demand. */
export default function StateTab() {
  useEffect(watchState, []);
  if (!isKnown.value) return null;
  return (
    <div class="column">
      <SnapshotSection />
      <BranchSection />
      <ResetSection />
      <FaultSection />
      <ClockSection />
      <DifferenceSection />
    </div>
  );
}
