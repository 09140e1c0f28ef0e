#!/usr/bin/env node
import * as module from 'node:module';
import { runCli } from './run-cli.js';

// Node 22 and later cache compiled code for the next start.
if ('enableCompileCache' in module && typeof module.enableCompileCache === 'function')
  module.enableCompileCache();

// The program reading the output has closed the pipe.
process.stdout.on('error', () => process.exit(0));

// Not awaited: a module loaded by a command may depend on this one, and would wait for it forever.
void runCli(process.argv.slice(2), {
  out: (text) => process.stdout.write(text),
  err: (text) => process.stderr.write(text),
  // `hasColors` respects NO_COLOR, FORCE_COLOR and TERM; a pipe has no colours.
  isColored: process.stdout.isTTY && process.stdout.hasColors(),
  columns: process.stdout.isTTY ? process.stdout.columns : undefined,
}).then((code) => {
  // An application may keep timers and sockets open, so the process exits once the output is written.
  process.stdout.write('', () => process.exit(code));
});
