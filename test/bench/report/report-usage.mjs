// Loaded into every server that is measured (`node --import`). Answers each message of the benchmark with the processor
// time of the process in microseconds, all threads included. /proc has it only in steps of ten milliseconds.
process.on('message', () => {
  const { user, system } = process.cpuUsage();
  process.send?.(user + system);
});
// The channel must not keep a server alive that wants to stop.
process.channel?.unref();
