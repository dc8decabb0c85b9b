import { request } from 'node:http'

/** Sends a GET with an unchanged path: neither `..` nor `%2e` is resolved. */
export const askRaw = (port: number, path: string): Promise<{ status: number; type: string; body: string }> =>
  new Promise((resolve, reject) => {
    request({ host: '127.0.0.1', port, path, agent: false }, (response) => {
      const chunks: Buffer[] = []
      response.on('data', (chunk: Buffer) => chunks.push(chunk))
      response.on('end', () =>
        resolve({
          status: response.statusCode ?? 0,
          type: response.headers['content-type'] ?? '',
          body: Buffer.concat(chunks).toString('utf8'),
        }),
      )
    })
      .on('error', reject)
      .end()
  })
