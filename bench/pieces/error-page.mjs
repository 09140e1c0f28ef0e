import { Youch } from 'youch';
import { createRedactor } from '../../dist/src/dump.js';
import { createSourceLoader, flattenError, renderErrorAnswer } from '../../dist/src/errors.js';
import { timeRounds } from '../harness/time-rounds.mjs';

/** The page of an error with a cause, excerpts of its sources included, beside Youch's of the same error. */
export async function measure({ isQuick }) {
  const options = { redactor: createRedactor(), sources: createSourceLoader() };
  const error = fail();
  const own = await timeRounds(
    (count) => {
      for (let index = 0; index < count; index++) {
        renderErrorAnswer(flattenError(error, options), { accept: 'text/html', debug: true });
      }
    },
    { isQuick, unit: 'ms' },
  );
  const youch = await timeRounds(
    async (count) => {
      for (let index = 0; index < count; index++) await new Youch().toHTML(error);
    },
    { isQuick, unit: 'ms' },
  );
  const by = own.median / youch.median;
  return [
    { name: 'error page of two errors', unit: 'ms', spread: own },
    { name: 'error page of two errors, Youch', unit: 'ms', spread: youch },
    { name: 'error page beside Youch', unit: '×', spread: { median: by, least: by, greatest: by } },
  ];
}

function fail() {
  try {
    readSetting();
  } catch (cause) {
    return new Error('The page cannot be shown', { cause });
  }
}

function readSetting() {
  throw new TypeError('The setting "limit" is no number');
}
