/** What access needs of the configuration. */
export interface AccessSettings {
  /** Where the service listens. */
  readonly host: string
  readonly access: {
    /** Only this machine can connect. */
    readonly loopback: boolean
    /** Names by which it may be asked, beside those of loopback; with a port, that port only. */
    readonly allowed_hosts: readonly string[]
    /** A proxy in front of it speaks TLS: cookies are `Secure`, browsers are told to stay with TLS. */
    readonly behind_tls?: boolean
  }
}
