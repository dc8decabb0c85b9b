import { connect, type Socket } from 'node:net'

/** Writes bytes to a bare socket and collects the answer until the server closes the connection or the answer contains `until`. */
export function talk(origin: string, bytes: string, until?: string): { socket: Socket; answer: Promise<string> } {
  const { hostname, port } = new URL(origin)
  const socket = connect(Number(port), hostname)
  const answer = new Promise<string>((resolve, reject) => {
    let received = ''
    socket.setEncoding('utf8')
    socket.on('data', (chunk) => {
      received += String(chunk)
      if (until !== undefined && received.includes(until)) resolve(received)
    })
    socket.on('close', () => resolve(received))
    // A server that aborts a body can reset the connection after its answer.
    socket.on('error', (error) => (received === '' ? reject(error) : resolve(received)))
  })
  socket.write(bytes)
  return { socket, answer }
}

/** Parses the JSON body of an HTTP answer. */
export const bodyOf = <T>(answer: string): T => JSON.parse(answer.slice(answer.indexOf('\r\n\r\n') + 4)) as T
