export interface SwitchUserOptions {
  /** Query parameter with the other user's identifier. Default `_switch_user`; its value `_exit` ends it. */
  readonly parameter?: string;
  /** What one must be allowed, with the other user as subject. Default `ROLE_ALLOWED_TO_SWITCH`. */
  readonly attribute?: string;
}

export interface SwitchUser {
  readonly parameter: string;
  readonly attribute: string;
}

export function compileSwitchUser(options: SwitchUserOptions): SwitchUser {
  return {
    parameter: options.parameter ?? '_switch_user',
    attribute: options.attribute ?? 'ROLE_ALLOWED_TO_SWITCH',
  };
}
