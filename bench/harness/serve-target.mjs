// The process of one server: runs the file that is named and says where it listens.
const { start } = await import(process.argv[2]);
const target = await start();
process.send(target);
process.on('message', (message) => {
  if (message === 'memory') {
    globalThis.gc?.();
    process.send(process.memoryUsage());
  }
});
process.on('SIGTERM', () => {
  void Promise.resolve(target.stop?.()).finally(() => process.exit(0));
});
process.on('disconnect', () => process.exit(0));
