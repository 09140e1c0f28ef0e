import type { Scope } from '#scope';
import { runInScope } from '#scope';
import { type ChunkSource, BegunBody, createChunkSource } from './chunk-source.js';
import type { StreamedBody } from './response-body.js';

/** Milliseconds to wait for the first chunk before the head is sent without it. */
const headWaitMs = 100;

/**
 * Starts reading a body before its response is sent, so that an early failure can still be answered. Rejects if the
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
