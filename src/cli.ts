/** The command line: the package's `bin` runs `src/cli/main.ts`; tests and other tools call `runCli`. */
export { runCli } from './cli/run-cli.js';
export type { CliOutput } from './cli/command-line/terminal.js';
