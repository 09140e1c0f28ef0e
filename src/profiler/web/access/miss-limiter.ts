/** Limits lookups of unknown tokens per peer, so that guessing tokens is slow. */
export interface MissLimiter {
  /** Counts a miss. Returns the seconds to wait if the peer has exceeded the limit of this minute, otherwise undefined. */
  miss(address: string): number | undefined;
}

interface Window {
  readonly opened: number;
  count: number;
}

const minuteMs = 60_000;
const maxPeers = 1_000;

/** Creates a limiter of `limit` misses per minute and peer. Tracks at most 1,000 peers. */
export function createMissLimiter(limit = 30, now: () => number = () => performance.now()): MissLimiter {
  const windows = new Map<string, Window>();
  return {
    miss(address) {
      const time = now();
      let window = windows.get(address);
      if (window === undefined || time - window.opened >= minuteMs) {
        windows.delete(address);
        window = { opened: time, count: 0 };
        windows.set(address, window);
        evictOldest(windows);
      }
      window.count++;
      if (window.count <= limit) return undefined;
      return Math.max(1, Math.ceil((window.opened + minuteMs - time) / 1_000));
    },
  };
}

function evictOldest(windows: Map<string, Window>): void {
  if (windows.size <= maxPeers) return;
  for (const key of windows.keys()) {
    windows.delete(key);
    return;
  }
}
