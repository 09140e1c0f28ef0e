import type { Scope } from '#scope';
import { runInScope } from '#scope';
import { type ChunkSource, BegunBody, createChunkSource } from './chunk-source.js';
import type { StreamedBody } from './response-body.js';

/** Milliseconds that a head waits for the first chunk. The head of a stream that is silent for longer is sent without it. */
const headWaitMs = 100;

/**
 * Starts a body before anything of its response is sent, so that an early failure can still be answered: rejects if the
 * first chunk fails, or is neither text nor bytes, within 100 ms.
 */
export async function beginBody(body: StreamedBody, scope: Scope): Promise<BegunBody> {
  const source = createChunkSource(body);
  const next = (): ReturnType<ChunkSource['next']> => runInScope(scope, () => source.next());
  let first: ReturnType<ChunkSource['next']> | undefined = next();
  try {
    await settled(first);
  } catch (error) {
    source.stop();
    throw error;
  }
  return new BegunBody({
    next: () => {
      const chunk = first ?? next();
      first = undefined;
      return chunk;
    },
    stop: () => source.stop(),
  });
}

function settled(first: Promise<unknown>): Promise<unknown> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, headWaitMs);
  });
  return Promise.race([first, late]).finally(() => clearTimeout(timer));
}
