// Measures one piece in its own process: runs the given file and reports its results.
const { measure } = await import(process.argv[2]);
process.send(await measure({ isQuick: process.argv[3] === 'quick' }), () => process.exit(0));
