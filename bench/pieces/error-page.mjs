import { Youch } from 'youch';
import { createRedactor } from '../../dist/src/core/dump.js';
import { createSourceLoader, flattenError, renderErrorAnswer } from '../../dist/src/core/errors.js';
import { timeRounds } from '../harness/time-rounds.mjs';
import { createUnseenErrors } from '../harness/unseen-errors.mjs';

/** The page for an error with a cause, including source excerpts, compared with Youch's for the same errors. */
export async function measure({ isQuick }) {
  const options = { redactor: createRedactor(), sources: createSourceLoader() };
  const errors = await createUnseenErrors();
  try {
    const own = await timeRounds(
      (count) => {
        for (let index = 0; index < count; index++) {
          renderErrorAnswer(flattenError(errors.next(), options), { accept: 'text/html', debug: true });
        }
      },
      { isQuick, unit: 'ms' },
    );
    const youch = await timeRounds(
      async (count) => {
        for (let index = 0; index < count; index++) await new Youch().toHTML(errors.next());
      },
      { isQuick, unit: 'ms' },
    );
    const by = own.median / youch.median;
    return [
      { name: 'page for an error not seen before', unit: 'ms', spread: own },
      { name: 'the same with Youch', unit: 'ms', spread: youch },
      { name: 'error page compared with Youch', unit: '×', spread: { median: by, least: by, greatest: by } },
    ];
  } finally {
    errors.remove();
  }
}
