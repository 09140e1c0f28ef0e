/** The part of an `ioredis` client that is used. */
export interface RedisClient {
  eval(script: string, keyCount: number, ...args: (string | number)[]): Promise<unknown>;
}
