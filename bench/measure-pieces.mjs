import { fileOf } from './catalogue.mjs';
import { Child } from './harness/child.mjs';

/** Runs each piece in a process of its own; a piece returns one or more `{ name, unit, spread }`. */
export async function measurePieces(names, { isQuick, say }) {
  const results = [];
  for (const name of names) {
    say(name);
    const child = new Child(new URL('./harness/measure-piece.mjs', import.meta.url), {
      args: [fileOf('pieces', name), isQuick ? 'quick' : 'full'],
      flags: ['--expose-gc'],
    });
    try {
      results.push(...(await child.next()));
    } catch (error) {
      say(`${name} could not be measured: ${error.message}`);
    } finally {
      await child.stop();
    }
  }
  return results;
}
