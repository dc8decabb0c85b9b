import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'

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
 *
 * Kept by connection, which carries one request at a time: a set of requests would hold every body of a busy connection until it is swept.
 */
export function watchSlowBodies(patience_ms: number, breakOff: (socket: Socket) => void) {
  const arriving = new Map<Socket, Arriving>()
  const look = () => {
    const now = performance.now()
    for (const [socket, one] of arriving) {
      const { message, least } = one
      if (message.complete || message.destroyed) {
        arriving.delete(socket)
        continue
      }
      const { bytesRead } = socket
      const seconds = (now - one.since) / 1000
      if (message.readableLength > 0 || bytesRead - one.bytes >= Math.max(1, least * seconds)) {
        one.bytes = bytesRead
        one.since = now
      } else if (now - one.since >= patience_ms) {
        arriving.delete(socket)
        breakOff(socket)
      }
    }
  }
  const timer = setInterval(look, patience_ms / LOOKS).unref()
  return {
    /** `least`: what it must bring in a second, in bytes, while a request waits for it. */
    watch(message: IncomingMessage, least: number): void {
      const { socket, headers } = message
      if (headers['content-length'] === undefined && headers['transfer-encoding'] === undefined) return
      arriving.set(socket, { message, least, bytes: socket.bytesRead, since: performance.now() })
      message.once('close', () => {
        if (arriving.get(socket)?.message === message) arriving.delete(socket)
      })
    },
    /** Connections that are being watched now. */
    count: () => arriving.size,
    close: () => clearInterval(timer),
  }
}
