#!/usr/bin/env node
import { runCli } from './run-cli.js';

const code = await runCli(process.argv.slice(2), {
  out: (text) => process.stdout.write(text),
  err: (text) => process.stderr.write(text),
});
// An application may keep timers and sockets open; what was written must still arrive.
process.stdout.write('', () => process.exit(code));
