// The process of one piece: runs the file that is named and says what it found.
const { measure } = await import(process.argv[2]);
process.send(await measure({ isQuick: process.argv[3] === 'quick' }), () => process.exit(0));
