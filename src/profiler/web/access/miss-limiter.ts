/** Counts misses of each peer, so that guessing tokens gets slow. */
export interface MissLimiter {
  /** Notes a miss. Seconds to wait when the peer has had too many in this minute, undefined while it may go on. */
  miss(address: string): number | undefined;
}

interface Window {
  readonly opened: number;
  count: number;
}

const minuteMs = 60_000;
const maxPeers = 1_000;

/** 30 misses a minute and peer by default; at most 1,000 peers are kept. */
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
        forgetOldest(windows);
      }
      window.count++;
      if (window.count <= limit) return undefined;
      return Math.max(1, Math.ceil((window.opened + minuteMs - time) / 1_000));
    },
  };
}

function forgetOldest(windows: Map<string, Window>): void {
  if (windows.size <= maxPeers) return;
  for (const key of windows.keys()) {
    windows.delete(key);
    return;
  }
}
