// The command of the standalone binary. It is a CommonJS bundle there, which has no await at its top level.
import { leaveOnSignals } from '../../dist/commands/early-signals.js';
import { keepTickShape } from '../../dist/commands/keep-tick-shape.js';

leaveOnSignals();
keepTickShape();
import('../../dist/commands/program.js')
  .then(({ run }) => run(process.argv, process.env))
  .then((exitCode) => {
    process.exitCode = exitCode;
  });
