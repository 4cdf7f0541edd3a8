// The command of the standalone binary. It is a CommonJS bundle there, which has no await at its top level.
import { leaveOnSignals } from '../commands/early-signals.ts';
import { keepTickShape } from '../commands/keep-tick-shape.ts';

leaveOnSignals();
keepTickShape();
import('../commands/program.ts')
  .then(({ run }) => run(process.argv, process.env))
  .then((exitCode) => {
    process.exitCode = exitCode;
  });
