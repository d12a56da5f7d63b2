// A Node process that does nothing, to compare memory with.
process.send('ready');
process.once('disconnect', () => process.exit());
