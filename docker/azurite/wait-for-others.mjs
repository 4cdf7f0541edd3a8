// Loaded before the blob service when other services run beside it: holds it back until they are ready, because many tools wait
// for blobs alone and then use all three.
await new Promise((/** @type {(value: void) => void} */ resolve) => {
  process.once('message', () => resolve());
  // Nothing but the channel keeps the process running now.
  process.channel?.ref();
});
process.channel?.unref();
