import { defineErrorCodes, type ErrorCodes } from '#core/coded-error';

const table = {
  CLI_NO_TYPESCRIPT: {
    message: '{file} is TypeScript, which Node {version} does not run without a loader.',
    fix: 'Run "npm install --save-dev tsx", or use Node 22.18 or newer, or compile it and name the .js file.',
  },
  CLI_NO_ENTRY: {
    message: 'There is no program to run: looked for {candidates} in {folder}.',
    fix: 'Pass its path: lookback dev path/to/main.ts',
  },
  CLI_FOLDER_NOT_EMPTY: {
    message: '{folder} exists and is not empty.',
    fix: 'Choose another name, or empty the folder first.',
  },
  CLI_BAD_PROJECT_NAME: {
    message: '"{name}" cannot be the name of a project.',
    fix: 'Use lower-case letters, digits, hyphens and dots, starting with a letter or digit: my-api.',
  },
  CLI_PACKAGE_NOT_PACKED: {
    message: 'npm could not pack lookback, which is in {root}: {problem}',
    fix: 'Run the command again with npm in the PATH, in a folder that you may write to.',
  },
  CLI_BAD_QUERY: {
    message: '{problem}',
    fix: 'Examples: status:>=500 · route:blog_* · time:>200ms · path:!/health · after:10m · "text"',
  },
  CLI_NO_TOKEN: {
    message: 'The command "{command}" needs the token of a record.',
    fix: 'Responses carry it in X-Debug-Token; "lookback records" lists them; "latest" is the newest.',
  },
  CLI_BAD_RECORD_FILE: {
    message: '{path} is not a file of records: {problem}.',
    fix: 'Pass a file from /_profiler/TOKEN.json or "lookback export".',
  },
  CLI_NO_NEWS: {
    message: 'This store cannot be followed.',
    fix: 'Run the command again without --follow.',
  },
} as const;

export const cliErrors: ErrorCodes<typeof table> = defineErrorCodes(table);
