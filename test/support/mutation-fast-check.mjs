// Stands for fast-check in a mutation run: fewer runs, the same in every run, and no search for the shortest
// counterexample, because one counterexample kills a mutant.
import real from '../../node_modules/fast-check/lib/fast-check.js';

const runsMax = 200;

function assert(property, parameters = {}) {
  const numRuns = Math.min(parameters.numRuns ?? 100, runsMax);
  return real.assert(property, { ...parameters, numRuns, seed: 1, endOnFailure: true });
}

export default { ...real, assert };
