/** Counts misses of each peer, so that guessing tokens gets slow. */
export interface MissLimiter {
  /** Notes a miss. Seconds to wait when the peer has had too many in this minute, undefined while it may go on. */
  miss(address: string): number | undefined;
}

interface Window {
  readonly opened: number;
  count: number;
}

const MINUTE = 60_000;
const PEERS = 1_000;

/** 30 misses a minute and peer by default; at most 1,000 peers are kept. */
export function createMissLimiter(limit = 30, now: () => number = () => performance.now()): MissLimiter {
  const windows = new Map<string, Window>();
  return {
    miss(address) {
      const time = now();
      let window = windows.get(address);
      if (window === undefined || time - window.opened >= MINUTE) {
        windows.delete(address);
        window = { opened: time, count: 0 };
        windows.set(address, window);
        forgetOldest(windows);
      }
      window.count++;
      if (window.count <= limit) return undefined;
      return Math.max(1, Math.ceil((window.opened + MINUTE - time) / 1_000));
    },
  };
}

function forgetOldest(windows: Map<string, Window>): void {
  if (windows.size <= PEERS) return;
  for (const key of windows.keys()) {
    windows.delete(key);
    return;
  }
}
