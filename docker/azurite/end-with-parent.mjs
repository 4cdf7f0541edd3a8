// Loaded into each service before its program: ends the service when its supervisor is gone, however that ended. A
// supervisor that is killed cannot tell anyone, but the system closes its end of the channel.

/** Time limit for a service to close its data. Unit: milliseconds. */
const endMs = 8000;

// Writing to a supervisor that is gone must not keep the service from closing its data.
for (const output of [process.stdout, process.stderr]) output.on('error', () => {});
// The supervisor may have ended before this file was loaded.
if (!process.connected) process.exit();
process.once('disconnect', () => {
  // Without a handler, the service is still loading and has nothing to close.
  if (!process.emit('SIGTERM', 'SIGTERM')) process.exit();
  setTimeout(() => process.kill(process.pid, 'SIGKILL'), endMs).unref();
});
// The channel alone must not keep a service running that has closed everything.
process.channel?.unref();
