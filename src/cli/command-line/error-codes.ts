import { defineErrorCodes, type ErrorCodes } from '#core/coded-error';

const table = {
  CLI_NO_TYPESCRIPT: {
    message: '{file} is a TypeScript file, which Node {version} cannot run without a loader.',
    fix: 'Run "npm install --save-dev tsx", upgrade to Node 22.18 or later, or compile the file and pass the .js file.',
  },
  CLI_NO_ENTRY: {
    message: 'There is no program to run: none of {candidates} exists in {folder}.',
    fix: 'Pass its path: lookback dev path/to/main.ts',
  },
  CLI_FOLDER_NOT_EMPTY: {
    message: '{folder} exists and is not empty.',
    fix: 'Choose another name, or empty the folder first.',
  },
  CLI_BAD_PROJECT_NAME: {
    message: '"{name}" is not a valid project name.',
    fix: 'Use lower-case letters, digits, hyphens and dots, starting with a letter or digit: my-api.',
  },
  CLI_PACKAGE_NOT_PACKED: {
    message: 'npm could not pack lookback from {root}: {problem}',
    fix: 'Run the command again with npm in the PATH, in a folder that you can write to.',
  },
  CLI_BAD_QUERY: {
    message: '{problem}',
    fix: 'Examples: status:>=500 · route:blog_* · time:>200ms · path:!/health · after:10m · "text"',
  },
  CLI_NO_TOKEN: {
    message: 'The command "{command}" requires a record token.',
    fix: 'Responses carry it in X-Debug-Token. "lookback records" lists tokens, and "latest" stands for the newest record.',
  },
  CLI_BAD_RECORD_FILE: {
    message: '{path} is not a record file: {problem}.',
    fix: 'Pass a file saved from /_profiler/TOKEN.json or written by "lookback export".',
  },
  CLI_NO_NEWS: {
    message: 'This store does not support --follow.',
    fix: 'Run the command without --follow.',
  },
} as const;

export const cliErrors: ErrorCodes<typeof table> = defineErrorCodes(table);
