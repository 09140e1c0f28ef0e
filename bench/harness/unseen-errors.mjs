import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

const modules = 20;
const placesEach = 25;

/** Errors as an application throws them: each is a new object with a new message and a cause, thrown from one of 500 places in 20 files. */
export async function createUnseenErrors() {
  const folder = mkdtempSync(join(tmpdir(), 'lookback-bench-'));
  const places = [];
  for (let file = 0; file < modules; file++) {
    const path = join(folder, `pages-${file}.mjs`);
    writeFileSync(path, Array.from({ length: placesEach }, (_, place) => sourceOf(place)).join('\n'));
    places.push(...Object.values(await import(pathToFileURL(path).href)));
  }
  let thrown = 0;
  return {
    next() {
      const number = thrown++;
      try {
        return places[number % places.length](number);
      } catch (error) {
        return error;
      }
    },
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}

function sourceOf(place) {
  return `// A page that reads a missing setting.
export function showPage${place}(number) {
  try {
    return readSetting${place}(number);
  } catch (cause) {
    throw new Error('Page ' + number + ' cannot be shown', { cause });
  }
}

function readSetting${place}(number) {
  throw new TypeError('The setting "limit-' + number + '" is not a number');
}
`;
}
