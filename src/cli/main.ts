#!/usr/bin/env node
import * as module from 'node:module';
import { runCli } from './run-cli.js';

// Node 22 and later: what is compiled is kept for the next start.
if ('enableCompileCache' in module && typeof module.enableCompileCache === 'function')
  module.enableCompileCache();

// The reader of the output has seen enough.
process.stdout.on('error', () => process.exit(0));

// Not awaited here: what a command loads may share a file with this module, and would wait for it.
void runCli(process.argv.slice(2), {
  out: (text) => process.stdout.write(text),
  err: (text) => process.stderr.write(text),
  // By NO_COLOR, FORCE_COLOR and TERM as well; a pipe has no colours.
  isColored: process.stdout.isTTY && process.stdout.hasColors(),
}).then((code) => {
  // An application may keep timers and sockets open; what was written must still arrive.
  process.stdout.write('', () => process.exit(code));
});
