import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'

export interface SlowBodies {
  /** `least`: what it must bring in a second, in bytes, while somebody waits for it. */
  watch(message: IncomingMessage, least: number): void
  close(): void
}

interface Arriving {
  readonly message: IncomingMessage
  readonly least: number
  /** Of the socket, when it was last fast enough. */
  bytes: number
  since: number
}

const LOOKS = 4

/**
 * A body that drips holds its connection and what was set aside for it: Node only bounds the whole request, which is an hour for
 * archives. One that was too slow for `patience_ms` is handed to `breakOff`. What has arrived and waits to be read is our slowness.
 */
export function watchSlowBodies(patience_ms: number, breakOff: (socket: Socket) => void): SlowBodies {
  const arriving = new Set<Arriving>()
  const look = () => {
    const now = performance.now()
    for (const one of arriving) {
      const { message, least } = one
      if (message.complete || message.destroyed) {
        arriving.delete(one)
        continue
      }
      const { bytesRead } = message.socket
      const seconds = (now - one.since) / 1000
      if (message.readableLength > 0 || bytesRead - one.bytes >= Math.max(1, least * seconds)) {
        one.bytes = bytesRead
        one.since = now
      } else if (now - one.since >= patience_ms) {
        arriving.delete(one)
        breakOff(message.socket)
      }
    }
  }
  const timer = setInterval(look, patience_ms / LOOKS).unref()
  return {
    watch(message, least) {
      if (!message.complete) arriving.add({ message, least, bytes: message.socket.bytesRead, since: performance.now() })
    },
    close: () => clearInterval(timer),
  }
}
