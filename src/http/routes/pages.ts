import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { extname, join, relative, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { FastifyInstance } from 'fastify'

const DIST = fileURLToPath(new URL('../../../web/dist', import.meta.url))

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
}

const HIDDEN = { schema: { hide: true } }

/** Registers the audit pages, whose files are read here: no path of a request reaches the disk. Without `web/dist` none are. */
export function pageRoutes(app: FastifyInstance, folder: string = DIST): void {
  const files = readFiles(folder)
  const page = files.get('index.html')
  app.get('/', { ...HIDDEN, config: { need: 'open' } }, (_request, reply) => reply.redirect('/audit/', 302))
  app.get('/audit', { ...HIDDEN, config: { need: 'open' } }, (_request, reply) => reply.redirect('/audit/', 302))
  app.get<{ Params: { '*': string } }>('/audit/*', { ...HIDDEN, config: { need: 'page' } }, (request, reply) => {
    const path = request.params['*']
    const file = path.startsWith('assets/') ? files.get(path) : page
    if (file === undefined) return reply.callNotFound()
    // Browsers store the files and revalidate each use.
    reply.headers({ 'cache-control': 'no-cache', etag: file.etag })
    if (request.headers['if-none-match'] === file.etag) return reply.code(304).send()
    return reply.type(file.type).send(file.body)
  })
}

/** Reads the files of a folder, by their path below it, with `/`. */
function readFiles(folder: string): ReadonlyMap<string, ReturnType<typeof readFile>> {
  if (!existsSync(folder)) return new Map()
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
  const paths = entries.map((entry) => join(entry.parentPath, entry.name))
  return new Map(paths.map((path) => [relative(folder, path).split(sep).join('/'), readFile(path)]))
}

function readFile(path: string) {
  const body = readFileSync(path)
  const etag = `"${createHash('sha256').update(body).digest('base64url').slice(0, 22)}"`
  return { body, type: TYPES[extname(path)] ?? 'application/octet-stream', etag }
}
