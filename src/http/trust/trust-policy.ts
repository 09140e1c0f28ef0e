/** Whom the service believes. Fixed at start; no request can change it. */
export interface TrustPolicy {
  /** Whether forwarding headers of this peer count. */
  isTrustedProxy(address: string): boolean;
  /** Whether this host name (lower case, no port, IPv6 in brackets) may be asked for. */
  isAllowedHost(host: string): boolean;
}
