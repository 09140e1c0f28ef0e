/** A login that is remembered on one device. */
export interface RememberedLogin {
  /** Names the device; random, and stays while the token changes. */
  readonly series: string;
  readonly identifier: string;
  /** Changes with the user's password. */
  readonly fingerprint: string;
  /** Hash of the token that the device holds. */
  readonly tokenHash: string;
  /** Hash of the token before it: requests that were under way at the change still carry that one. */
  readonly previousHash: string | undefined;
  /** When the token was last changed. Milliseconds since 1970. */
  readonly rotatedAt: number;
  /** Milliseconds since 1970. */
  readonly expiresAt: number;
}

/** The new token of a device. */
export interface Rotation {
  readonly tokenHash: string;
  readonly rotatedAt: number;
  readonly expiresAt: number;
}

/** Port: where remembered logins are kept. Contract suite: `checkRememberMeStore`. */
export interface RememberMeStore {
  readonly name: string;
  insert(login: RememberedLogin): void | Promise<void>;
  /** Expired ones may be given or not. */
  find(series: string): RememberedLogin | undefined | Promise<RememberedLogin | undefined>;
  /** Changes the token if it still is `from`, which becomes the previous one; false where another request was faster. */
  rotate(series: string, from: string, rotation: Rotation): boolean | Promise<boolean>;
  remove(series: string): void | Promise<void>;
  /** Forgets every device of the user. */
  removeUser(identifier: string): void | Promise<void>;
}
